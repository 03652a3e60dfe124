/** Where mail leaves the server. Throws `MailRefused` for what will never be accepted; anything else is tried again. */
export interface Mailer {
  readonly name: string;
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
  createdAt: number;
}

export class MailRefused extends Error {
  override name = "MailRefused";
}
