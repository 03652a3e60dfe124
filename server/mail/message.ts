import type { Mail } from "./mailer.ts";

/** The email in the form that nodemailer takes. The recipient is an object, so that nodemailer never parses it as a list of addresses. */
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
