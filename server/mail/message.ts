import type { Mail } from "./mailer.ts";

/** A mail as nodemailer takes it. The address goes in as one, whatever characters it has. */
export const messageOf = (mail: Mail) => ({
  messageId: `<${mail.id}@playtest>`,
  date: new Date(mail.createdAt),
  from: mail.from,
  to: { name: "", address: mail.to },
  subject: mail.subject,
  text: mail.text,
  ...(mail.html === null ? {} : { html: mail.html }),
  headers: { "Auto-Submitted": "auto-generated" },
  disableFileAccess: true,
  disableUrlAccess: true,
});
