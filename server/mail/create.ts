import type { Mailer } from "./mailer.ts";
import { createOutbox } from "./outbox.ts";
import { createSmtp } from "./smtp.ts";

/** Sends by SMTP when it is configured, otherwise writes files to `outboxFolder`. */
export const createMailer = (settings: { smtpUrl: string | null }, outboxFolder: string): Mailer =>
  settings.smtpUrl === null ? createOutbox(outboxFolder) : createSmtp(settings.smtpUrl);
