import type { Mutant } from "../mutant.ts";

const registration = "server/accounts/registration.ts";
const invitations = "server/accounts/invitations.ts";
const invitationRows = "server/accounts/invitations-store.ts";
const browser = "server/accounts/browser/accounts.ts";
const brand = "server/config/brand.ts";

const rows: readonly Omit<Mutant, "test">[] = [
  { rule: "closed means closed", edits: [[registration, 'config.registration === "closed"', "config.strict === undefined"]] },
  {
    rule: "without an invitation nobody registers",
    edits: [[registration, 'config.registration === "invite"', "config.strict === undefined"]],
  },
  { rule: "only addresses of the domains", edits: [[registration, "domains.length === 0 ||", "domains.length >= 0 ||"]] },
  {
    rule: "the portal refuses as the API does",
    edits: [[browser, "    refuseRegistration(this.#deps, account.email);\n", ""]],
  },
  {
    rule: "nobody is mailed twice",
    edits: [[invitations, 'before?.state === "invited" && before', 'before?.state === "joined" && before']],
  },
  {
    rule: "who has an account is not mailed",
    edits: [[invitations, "account && account.email_verified_at !== null", "account && account.email_verified_at === 0"]],
  },
  {
    rule: "a link works once",
    edits: [
      [
        invitationRows,
        "UPDATE invitations SET joined_at = ? WHERE token_hash = ? AND joined_at IS NULL AND revoked_at IS NULL",
        "UPDATE invitations SET joined_at = ? WHERE token_hash = ? AND revoked_at IS NULL",
      ],
    ],
  },
  {
    rule: "an email whose link was replaced is not sent",
    edits: [[invitations, "  if (before?.mail_id) await mails.withdraw(tx, before.mail_id, now);\n", ""]],
  },
  {
    rule: "an email whose link was revoked is not sent",
    edits: [[invitations, "  if (found.mail_id) await mails.withdraw(tx, found.mail_id, now);\n", ""]],
  },
  {
    rule: "an account of a stranger is not taken over with its keys",
    edits: [[browser, "!(await users.removeUnverified(tx, before.id))", "before.role !== role"]],
  },
];

export const joiningRules: readonly Mutant[] = [
  ...rows.map((row) => ({ ...row, test: "api/invitations" })),
  {
    rule: "a logo is a picture",
    test: "api/brand",
    only: "the logo",
    edits: [[brand, "if (type === undefined)", "if (type === null)"]],
  },
  {
    rule: "a logo is small",
    test: "api/brand",
    only: "the logo",
    edits: [[brand, "if (bytes.length > maxBytes)", "if (bytes.length < 0)"]],
  },
];
