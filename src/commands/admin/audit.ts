import { define, flag } from "../../cli/define.ts";
import { userId } from "./users.ts";
import { auditView } from "./view.ts";

export const audit = define({
  name: "audit",
  summary: "List the audit log: who did what to accounts, keys and money",
  description:
    "Newest first. Each entry has the SHA-256 of its content and of the entry before it, so that a changed or missing entry shows: `playtest serve doctor` checks all of them. To export the log, use `--all --ndjson`.",
  operation: "listAudit",
  list: true,
  flags: {
    actor: flag.text("Only what this account did: id, email address or name"),
    action: flag.text("Only this action, such as `user.suspend`"),
    target: flag.text("Only what was done to this target: id, or the email address or name of an account"),
  },
  examples: [
    "playtest admin audit",
    "playtest admin audit --actor ada@example.com --action balance.grant_credit",
    "playtest admin audit --all --ndjson",
  ],
  async run({ flags, range }, ctx) {
    const { actor, action, target } = flags;
    const query = {
      ...(actor !== undefined && { actor: await userId(ctx, actor) }),
      ...(action !== undefined && { action }),
      ...(target !== undefined && { target: await userId(ctx, target) }),
    };
    return ctx.list("listAudit", { query }, range, auditView);
  },
});
