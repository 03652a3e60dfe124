import type { Mail } from "./mailer.ts";

/** RFC 2369, and RFC 8058 for mail programs that unsubscribe with one click, which needs HTTPS. */
const unsubscribeHeaders = (url: string | null): Record<string, string> => ({
  ...(url !== null && { "List-Unsubscribe": `<${url}>` }),
  ...(url?.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
});

const calendarPart = (content: string) => ({
  filename: "playtest.ics",
  contentType: "text/calendar; charset=utf-8; method=PUBLISH",
  content,
});

const attachmentsOf = ({ calendar, document }: Mail) => [
  ...(calendar === null ? [] : [calendarPart(calendar)]),
  ...(document === null ? [] : [{ filename: document.filename, contentType: "application/pdf", content: document.bytes }]),
];

/** The email in the form that nodemailer takes. The recipient is an object, so that nodemailer never parses it as a list of addresses. */
export const messageOf = (mail: Mail) => ({
  messageId: `<${mail.id}@${mail.host}>`,
  date: new Date(mail.createdAt),
  from: mail.from,
  to: { name: "", address: mail.to },
  subject: mail.subject,
  text: mail.text,
  ...(mail.html === null ? {} : { html: mail.html }),
  attachments: attachmentsOf(mail),
  headers: { "Auto-Submitted": "auto-generated", ...unsubscribeHeaders(mail.unsubscribeUrl) },
  disableFileAccess: true,
  disableUrlAccess: true,
});
