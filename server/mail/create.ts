import type { Mailer } from "./mailer.ts";
import { createOutbox } from "./outbox.ts";
import { createSmtp } from "./smtp.ts";

/** SMTP where it is configured, else files in a folder. */
export const createMailer = (settings: { smtpUrl: string | null }, outboxFolder: string): Mailer =>
  settings.smtpUrl === null ? createOutbox(outboxFolder) : createSmtp(settings.smtpUrl);
