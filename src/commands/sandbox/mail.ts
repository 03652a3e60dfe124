import type { Data } from "../../api/client.ts";
import { arg, type Context, define, flag, type ItemOf, prose, viewOf } from "../../cli/define.ts";
import { notFound } from "../../errors.ts";

export type Mail = Data<"listOutbox">["messages"][number];

const view = viewOf<ItemOf<"listOutbox">>(["id", prose("to"), prose("subject"), "sent:createdAt"], {
  empty: "No mail was sent yet.",
});

/** The newest mail that fits, or undefined. */
export async function findMail(ctx: Context, fits: (mail: Mail) => boolean): Promise<Mail | undefined> {
  for await (const { items } of ctx.pages("listOutbox", {}, { all: true })) {
    const found = (items as Mail[]).find(fits);
    if (found) return found;
  }
  return undefined;
}

export const mail = define({
  name: "mail",
  summary: "List the mail that the sandbox sent, or read one",
  description: "A sandbox delivers no mail: it keeps all of it, newest first. With an id, prints that mail.",
  operation: "listOutbox",
  args: { mail: { ...arg.optional("Mail id (default: list all)"), id: {} } },
  flags: { html: flag.toggle("With an id: print the HTML part instead of the text") },
  list: true,
  examples: [
    "playtest sandbox mail",
    "playtest sandbox mail 5b7702ae",
    "playtest sandbox mail --limit 1 --jq '.messages[0].text'",
  ],
  async run({ args, flags, range }, ctx) {
    if (args.mail === undefined) return ctx.list("listOutbox", {}, range, view);
    const found = await findMail(ctx, ({ id }) => id === args.mail);
    if (!found) throw notFound(`Mail ${args.mail} not found.`, "See `playtest sandbox mail`.");
    return ctx.verbatim(flags.html ? (found.html ?? "") : read(found), { message: found });
  },
});

const read = ({ to, subject, createdAt, text }: Mail) => `To: ${to}\nSubject: ${subject}\nDate: ${createdAt}\n\n${text}`;
