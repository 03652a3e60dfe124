import { type MailedKind, type MailMode, modeChosen, newPlaytests } from "../../src/contract/events/mails.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { modesOf, setMode } from "./settings-store.ts";

/** Changes which emails a person gets about these kinds. What they chose before stays as it is, with its time. */
export async function chooseMails(
  deps: Deps,
  tx: Tx,
  userId: string,
  kinds: readonly MailedKind[],
  chosen: MailMode,
): Promise<void> {
  const changes = (await modesOf(tx, userId, kinds))
    .map(({ kind, mail: before }) => ({ kind, before, mail: modeChosen(kind, chosen) }))
    .filter(({ before, mail }) => mail !== before);
  for (const { kind, mail } of changes) await setMode(tx, userId, kind, mail, tx.now);
  if (changes.some(({ kind, mail }) => kind === newPlaytests && mail !== "off")) await deps.onNewPlaytestsAsked(tx, userId);
}
