/** Sends emails. `send` throws `MailRefused` when the email will never be accepted. After any other error it can be retried. */
export interface Mailer {
  readonly name: string;
  /** Whether emails leave this machine. Otherwise only the operator can read them. */
  readonly delivers: boolean;
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

export interface Mail {
  id: string;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string | null;
  /** Where such emails are turned off; null for those that cannot be. */
  unsubscribeUrl: string | null;
  /** A calendar file to attach; null without one. */
  calendar: string | null;
  /** A PDF file to attach; null without one. */
  document: { filename: string; bytes: Buffer } | null;
  createdAt: number;
  /** The host of the server's public address, for the id of the message. */
  host: string;
}

export class MailRefused extends Error {
  override name = "MailRefused";
}
