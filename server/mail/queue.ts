import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { insert } from "./store.ts";
import type { Letter } from "./texts.ts";

/** Puts a mail in the outbox, in the transaction that causes it; a job sends it after the commit. */
export async function queueMail(deps: Deps, tx: Query, to: string, letter: Letter): Promise<void> {
  const now = deps.clock.now();
  const id = deps.newId();
  await insert(tx, {
    id,
    recipient: to,
    subject: letter.subject,
    text_body: letter.text,
    html_body: letter.html,
    created_at: now,
  });
  await deps.jobs.schedule(tx, { kind: "send-mail", key: id, payload: { mailId: id }, runAt: now });
}
