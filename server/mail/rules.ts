/** Pure decisions about emails. */

const minute = 60_000;

/** Whether an address reaches nobody: names below `.invalid` are nobody's (RFC 2606). The accounts that a server makes itself have such. */
export const reachesNobody = (address: string): boolean => address.toLowerCase().endsWith(".invalid");

/** How long (ms) an email waits after each failed try: four days in all, because providers count quotas by the day. */
const waits = [1, 5, 30, 120, 360, 720, 1440, 1440, 1440].map((minutes) => minutes * minute);

/** When (ms) to try again after `tries` failed ones. Undefined after the last one, and when the link in the email has ended by then. */
export function nextTry({ tries, now, expiresAt }: { tries: number; now: number; expiresAt: number | null }): number | undefined {
  const wait = waits[tries - 1];
  if (wait === undefined || (expiresAt !== null && now + wait >= expiresAt)) return undefined;
  return now + wait;
}

/** A reply of a mail server to one of our commands. */
export interface SmtpReply {
  /** The three digits that begin it. */
  status: number;
  /** The whole reply, with an enhanced status code (RFC 3463) if the server gives one. */
  text: string;
  /** The command that was answered, such as `RCPT TO`. */
  command: string;
}

/** What servers without enhanced codes write when they refuse the sender or the moment, not the mailbox. */
const otherReasons =
  /relay|quota|full|limit|rate|too many|policy|block|black|spam|reputation|sender|authent|denied|temporar|try again/i;

/**
 * Whether a reply refuses the mailbox or the contents for good. Servers also answer a used-up quota, a full mailbox, a policy, a refused sender or a relay
 * that is set up wrongly with 5xx: such an email can be sent later.
 */
export function isFinal({ status, text, command }: SmtpReply): boolean {
  if (status < 500 || status > 599) return false;
  const enhanced = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(text);
  const [subject, detail] = enhanced ? [Number(enhanced[1]), Number(enhanced[2])] : [0, 0];
  if (subject === 1) return detail !== 7 && detail !== 8;
  // Who reads a mailbox can empty it.
  if (subject === 2) return detail !== 2;
  if (subject !== 0) return subject === 6;
  return command === "RCPT TO" && !otherReasons.test(text);
}
