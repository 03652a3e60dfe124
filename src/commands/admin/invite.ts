import { resolve } from "node:path";
import { arg, type Context, col, define, flag, viewOf } from "../../cli/define.ts";
import type { InvitedRole, InviteOutcome } from "../../contract/admin/invitations.ts";
import { type FileRecord, ignorer, parseRecords, plainName } from "../../contract/files/records.ts";
import { isEmailAddress, withAsciiDomain } from "../../contract/text/email-address.ts";
import { notFound, usage } from "../../errors.ts";
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

const view = viewOf<Row & { outcome: InviteOutcome; expiresAt: string | null }>([
  "line",
  "email",
  col("role", ({ role }) => (role === "playtester" ? "tester" : "owner")),
  col("result", ({ outcome }) => outcomes[outcome] ?? outcome),
  "expires:expiresAt",
]);

/** The names of the columns, and how spreadsheets call them. Plain names: see `plainName`. */
const columns: Record<string, string> = {
  email: "email",
  emailaddress: "email",
  mail: "email",
  mailaddress: "email",
  address: "email",
  role: "role",
  name: "name",
};
const hint =
  "The columns are email, role and name; only email is required. Leave others out with --ignore-columns, or let their names begin with #.";

/** The column of each heading. A heading that says nothing, or the same as another, is an error: what it says would be lost. */
function columnsOf(records: readonly FileRecord[], file: string, ignore: readonly string[]): Map<string, string> {
  const isIgnored = ignorer(ignore);
  const found = new Map<string, string>();
  const all = [...new Set(records.flatMap(({ fields }) => Object.keys(fields)))];
  const headings = all.filter((heading) => !isIgnored(heading));
  const refuse = (what: string) => usage(`${file}: ${what}. Nobody was invited.`, hint);
  for (const heading of headings) {
    const column = columns[plainName(heading)];
    if (column === undefined) continue;
    const same = [...found].find(([, one]) => one === column)?.[0];
    if (same !== undefined) throw refuse(`${quoted(same)} and ${quoted(heading)} both give the column ${column}`);
    found.set(heading, column);
  }
  if (all.length > 0 && ![...found.values()].includes("email"))
    throw refuse(`there is no column email, only ${headings.join(", ")}`);
  const unknown = headings.find((heading) => !found.has(heading));
  if (unknown !== undefined) throw refuse(`the column ${quoted(unknown)} is not known`);
  return found;
}

/** The fields of a record by the names of the columns. */
const known = (fields: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([heading, value]) => {
      const name = names.get(heading);
      return name === undefined ? [] : [[name, String(value ?? "").trim()]];
    }),
  );

/** In quotes, with characters that nobody sees written as numbers. */
const quoted = (text: string) =>
  JSON.stringify(text).replace(/[\p{Cf}\p{Cc}]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The people of a file. Every fault is reported at once, and nobody is invited then. */
async function readPeople(ctx: Context, file: string, role: InvitedRole, ignore: readonly string[]): Promise<Row[]> {
  const path = file === "-" ? file : resolve(ctx.io.cwd(), file);
  const { records } = await parseRecords(await ctx.io.readText(path, "file"), file);
  const names = columnsOf(records, file, ignore);
  const faults: string[] = [];
  const rows = new Map<string, Row>();
  for (const { line, fields } of records) {
    const { email: given = "", role: named = "", name = "" } = known(fields, names);
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

const invite = define({
  name: "invite",
  summary: "Invite people by email, one or a whole file",
  description:
    "Each gets an email with a link that creates the account, verifies its address and signs in, once. The file is CSV with the columns email, " +
    "role (tester or owner) and name; only email is required, another column is an error unless --ignore-columns names it or it begins with #, and all rows are checked before the first is sent. Safe to repeat: who has an account or a link that still works gets no " +
    "other email; expired or revoked invitations, and those whose email could not be sent, are sent again. --again also replaces links that " +
    "still work.",
  operation: "invite",
  args: { file: arg.optional("CSV file with the people to invite; - reads standard input") },
  flags: {
    email: flag.text("Invite this address instead of a file", { value: "EMAIL" }),
    name: flag.text("With --email: display name", { value: "NAME" }),
    role: flag.choice(["tester", "owner"], "Role of those without one in the file (default tester)"),
    ignoreColumns: flag.list("Columns of the file that are not meant for the invitation, separated by commas", {
      value: "NAMES",
    }),
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
        ? await readPeople(ctx, args.file!, role, flags.ignoreColumns)
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

const invitations = define({
  name: "invitations",
  summary: "List invitations and who joined",
  operation: "listInvitations",
  query: "listInvitations",
  list: true,
  examples: ["playtest admin invitations", "playtest admin invitations --state expired"],
  view: invitationView,
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

const invitationsRevoke = define({
  name: "invitations revoke",
  summary: "Revoke an invitation: its link no longer works",
  operation: ["revokeInvitation", "listInvitations"],
  args: { invitation: arg.id("Invitation: id or email address", "listInvitations", "email", { state: "invited" }) },
  confirm: false,
  examples: ["playtest admin invitations revoke ada@example.com"],
  run: async ({ args }, ctx) =>
    ctx.item(await ctx.api().revokeInvitation({ params: { id: await invitationId(ctx, args.invitation) } }), invitationView),
});

export const inviteCommands = [invite, invitations, invitationsRevoke];
