import { resolve } from "node:path";
import { arg, type Context, col, define, flag, type View } from "../../cli/define.ts";
import type { InvitedRole, InviteOutcome } from "../../contract/admin/invitations.ts";
import { isEmailAddress, withAsciiDomain } from "../../contract/text/email-address.ts";
import { notFound, usage } from "../../errors.ts";
import { parseRecords } from "../../io/files/records.ts";
import { plural } from "../../io/text.ts";
import { inParts } from "../shared/parts.ts";
import { invitationView } from "./view.ts";

/** As many as the server takes in one request. */
const perRequest = 200;
/** As the server takes it. */
const longestName = 100;

interface Invitee {
  email: string;
  role: InvitedRole;
  name?: string;
}

interface Row extends Invitee {
  line: number;
}

const roleOf: Record<string, InvitedRole> = {
  tester: "playtester",
  playtester: "playtester",
  owner: "game_owner",
  game_owner: "game_owner",
};
const outcomes: Record<InviteOutcome, string> = {
  invited: "invited",
  already_invited: "already invited",
  has_account: "has an account",
};

const view: View = {
  columns: [
    col("line", "line"),
    col("email", "email"),
    col("role", ({ role }) => (role === "playtester" ? "tester" : "owner")),
    col("result", ({ outcome }) => outcomes[outcome as InviteOutcome] ?? String(outcome)),
    col("expires", "expiresAt", "ago"),
  ],
};

/** The names of the columns, and how spreadsheets call them. */
const columns: Record<string, RegExp> = { email: /^(e-?mail( address)?|mail|address)$/i, role: /^role$/i, name: /^name$/i };

const columnOf = (heading: string) => Object.keys(columns).find((name) => columns[name]!.test(heading.trim()));

/** The fields of a record by the names of the columns. Others are left out. */
const known = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([heading, value]) => {
      const name = columnOf(heading);
      return name === undefined ? [] : [[name, String(value ?? "").trim()]];
    }),
  );

/** In quotes, with characters that nobody sees written as numbers. */
const quoted = (text: string) =>
  JSON.stringify(text).replace(/[\p{Cf}\p{Cc}]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The people of a file. Every fault is reported at once, and nobody is invited then. */
async function readPeople(ctx: Context, file: string, role: InvitedRole): Promise<Row[]> {
  const path = file === "-" ? file : resolve(ctx.io.cwd(), file);
  const { records } = await parseRecords(await ctx.io.readText(path, "file"), file);
  const hint = "The columns are email, role and name; only email is required.";
  if (records.length > 0 && !records.some(({ fields }) => known(fields).email !== undefined))
    throw usage(
      `${file}: there is no column email, only ${Object.keys(records[0]!.fields).join(", ")}. Nobody was invited.`,
      hint,
    );
  const faults: string[] = [];
  const rows = new Map<string, Row>();
  for (const { line, fields } of records) {
    const { email: given = "", role: named = "", name = "" } = known(fields);
    const email = withAsciiDomain(given);
    const as = named === "" ? role : Object.hasOwn(roleOf, named.toLowerCase()) ? roleOf[named.toLowerCase()] : undefined;
    if (!isEmailAddress(email)) faults.push(`Line ${line}: ${quoted(given)} is not an email address.`);
    if (name.length > longestName) faults.push(`Line ${line}: the name is longer than ${longestName} characters.`);
    if (as === undefined) faults.push(`Line ${line}: the role must be tester or owner, not ${JSON.stringify(named)}.`);
    else if (!rows.has(email.toLowerCase())) rows.set(email.toLowerCase(), { line, email, role: as, ...(name && { name }) });
  }
  if (faults.length > 0) throw usage(`${faults.join("\n")}\nNobody was invited.`, hint);
  if (rows.size === 0) throw usage(`${file} names nobody. Nobody was invited.`);
  return [...rows.values()];
}

export const invite = define({
  name: "invite",
  summary: "Invite people by email, one or a whole file",
  description:
    "Each gets an email with a link that creates the account, verifies its address and signs in, once. The file is CSV with the columns email, " +
    "role (tester or owner) and name; only email is required, and all rows are checked before the first is sent. Safe to repeat: who has an account or a link that still works gets no " +
    "other email; expired or revoked invitations, and those whose email could not be sent, are sent again. --again also replaces links that " +
    "still work.",
  operation: "invite",
  args: { file: arg.optional("CSV file with the people to invite; - reads standard input") },
  flags: {
    email: flag.text("Invite this address instead of a file", { value: "EMAIL" }),
    name: flag.text("With --email: display name", { value: "NAME" }),
    role: flag.choice(["tester", "owner"], "Role of those without one in the file (default tester)"),
    again: flag.toggle("Also replace links that still work"),
  },
  examples: [
    "playtest admin invite testers.csv",
    "playtest admin invite --email ada@example.com --role owner",
    "playtest admin invite --email ada@example.com --again",
  ],
  async run({ args, flags }, ctx) {
    const role = roleOf[flags.role ?? "tester"]!;
    if ((args.file === undefined) === (flags.email === undefined)) throw usage("Pass either a file or --email.");
    if (flags.name !== undefined && flags.email === undefined) throw usage("--name works only with --email.");
    const people: Row[] =
      flags.email === undefined
        ? await readPeople(ctx, args.file!, role)
        : [{ line: 1, email: flags.email, role, ...(flags.name !== undefined && { name: flags.name }) }];
    const results = [];
    let note = "";
    const replies = await inParts(ctx, people, perRequest, (part) =>
      ctx.api().invite({ body: { invitations: part.map(({ line: _, ...invitee }) => invitee), again: flags.again } }),
    );
    for (const { part, reply } of replies) {
      note = reply.message;
      for (const [index, { outcome, invitation }] of reply.results.entries())
        results.push({ ...part[index]!, outcome, id: invitation?.id ?? null, expiresAt: invitation?.expiresAt ?? null });
    }
    ctx.out.note(people.length > perRequest ? `${plural(people.length, "row")} done. The last part: ${note}` : note);
    return ctx.rows("results", results, view);
  },
});

export const invitations = define({
  name: "invitations",
  summary: "List invitations and who joined",
  operation: "listInvitations",
  query: "listInvitations",
  list: true,
  examples: ["playtest admin invitations", "playtest admin invitations --state expired"],
  run: async ({ query, range }, ctx) => ctx.list("listInvitations", { query }, range, invitationView),
});

/** The id of the invitation to an email address; an id is returned unchanged. */
async function invitationId(ctx: Context, text: string): Promise<string> {
  if (!text.includes("@")) return text;
  for await (const { items } of ctx.pages("listInvitations", {}, { all: true })) {
    const found = (items as { id: string; email: string }[]).find(({ email }) => email.toLowerCase() === text.toLowerCase());
    if (found) return found.id;
  }
  throw notFound(`No invitation was sent to ${text}.`, "See `playtest admin invitations`.");
}

export const invitationsRevoke = define({
  name: "invitations revoke",
  summary: "Revoke an invitation: its link no longer works",
  operation: ["revokeInvitation", "listInvitations"],
  args: { invitation: arg.id("Invitation: id or email address", "listInvitations", "email", { state: "invited" }) },
  confirm: false,
  examples: ["playtest admin invitations revoke ada@example.com"],
  run: async ({ args }, ctx) =>
    ctx.item(await ctx.api().revokeInvitation({ params: { id: await invitationId(ctx, args.invitation) } }), invitationView),
});
