import { arg, type Context, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { inParts } from "../shared/parts.ts";
import { groupView, memberView } from "./view.ts";

const groupArg = () => arg.id("Group id or name", "listGroups");

export const groups = define({
  name: "groups list",
  aliases: ["groups"],
  description: "A playtest that is ordered with --panel GROUP is offered only to the members of that group.",
  operation: "listGroups",
  list: true,
  examples: ["playtest admin groups list"],
  view: groupView,
});

export const groupsCreate = define({
  name: "groups create",
  summary: "Create a tester group",
  operation: "createGroup",
  args: { name: arg.text("Short name: lowercase words joined by hyphens") },
  examples: ["playtest admin groups create qa"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().createGroup({ body: { name: args.name } }), groupView),
});

export const groupsMembers = define({
  name: "groups members",
  operation: "listGroupMembers",
  args: { group: groupArg() },
  list: true,
  examples: ["playtest admin groups members qa", "playtest admin groups members qa --all --csv"],
  view: memberView,
});

/** Everything in a text that looks like an email address: the cells of a CSV file, or lines. */
const emailsIn = (text: string) => [...new Set(text.match(/[^\s,;"'<>]+@[^\s,;"'<>]+/g) ?? [])];

async function emailsOf(ctx: Context, given: readonly string[], file: string | undefined): Promise<string[]> {
  if (file !== undefined && given.length > 0) throw usage("Email addresses and --file cannot be used together.");
  const emails = file === undefined ? [...given] : emailsIn(await ctx.io.readText(file, "--file"));
  if (emails.length === 0) throw usage("At least one email address is required.", "Pass email addresses, or a file with --file.");
  return emails;
}

const batchSize = 1000;

const change = (name: "add" | "remove", operation: "addGroupMembers" | "removeGroupMembers", summary: string, done: string) =>
  define({
    name: `groups ${name}`,
    summary,
    operation,
    args: { group: groupArg(), emails: { ...arg.many("Email addresses"), optional: true } },
    flags: { file: flag.text("File with email addresses, such as a CSV file; - for standard input", { value: "FILE" }) },
    examples: [`playtest admin groups ${name} qa ada@example.com`, `playtest admin groups ${name} qa --file team.csv`],
    async run({ args, flags }, ctx) {
      const emails = await emailsOf(ctx, args.emails, flags.file);
      const total = { changed: 0, unknown: [] as string[] };
      let last: { group: { name: string; members: number } } | undefined;
      const replies = await inParts(ctx, emails, batchSize, (part) =>
        ctx.api()[operation]({ params: { id: args.group }, body: { emails: [...part] } }),
      );
      for (const { reply } of replies) {
        total.changed += reply.changed;
        total.unknown.push(...reply.unknown);
        last = reply;
      }
      if (total.unknown.length > 0)
        ctx.out.warn(`No playtester has the email address ${total.unknown.join(", ")}. They were skipped.`);
      const { group } = last!;
      return ctx.text(
        `${done} ${plural(total.changed, "playtester")}. The group ${group.name} has ${plural(group.members, "member")}.`,
        {
          group,
          ...total,
        },
      );
    },
  });

export const groupsAdd = change("add", "addGroupMembers", "Add playtesters to a group by email address", "Added");
export const groupsRemove = change(
  "remove",
  "removeGroupMembers",
  "Remove playtesters from a group; they keep their slots",
  "Removed",
);

export const groupsDelete = define({
  name: "groups delete",
  operation: "deleteGroup",
  args: { group: groupArg() },
  confirm: ({ args }) => `Delete the group ${args.group}? Its members stay playtesters.`,
  examples: ["playtest admin groups delete qa --yes"],
  view: groupView,
});
