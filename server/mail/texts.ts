import { usd } from "../lib/money.ts";

/** Subject and body of an email, as plain text and as HTML. What users wrote is escaped in the HTML. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
  /** A one-time token that the text contains. It is stored encrypted, and only until the email is sent. */
  secret?: string;
}

interface Parts {
  subject: string;
  /** The recipient's name; null for an account whose address is not verified. */
  to: string | null;
  paragraphs: string[];
  /** The link that the email asks the reader to open. */
  action?: { label: string; url: string };
  secret?: string;
}

export const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** Replaces line breaks and control characters, which a name in a subject may contain. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

/**
 * A name as emails show it: one line, without anything that a mail program would turn into a link. Otherwise anybody could use a name to
 * send links to their own site in this server's emails.
 */
export const nameInMail = (name: string): string =>
  oneLine(name)
    .replace(/[a-z][a-z0-9+.-]*:\/\/|\bmailto:/giu, " ")
    .replace(/(?<=[\p{L}\p{N}-])[.@](?=[\p{L}\p{N}-]*\p{L}{2})/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();

// Inline styles, because mail programs remove style sheets.
const page =
  "margin:0;padding:24px 12px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,-apple-system,Segoe UI,sans-serif";
const card = "max-width:560px;margin:0 auto;padding:8px 28px 16px;background:#fff;border-radius:8px;overflow-wrap:anywhere";
const button = "display:inline-block;padding:10px 20px;background:#1d4ed8;color:#fff;border-radius:6px;text-decoration:none";
const small = "font-size:13px;color:#52525b";

const link = (url: string, label: string, style: string) =>
  `<a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a>`;

export function compose({ subject, to, paragraphs, action, secret }: Parts): MailContent {
  const greeting = to === null ? "Hello," : `Hello ${nameInMail(to)},`;
  const text = [greeting, ...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : [])].join("\n\n");
  const body = [greeting, ...paragraphs].map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`);
  if (action)
    body.push(
      `<p style="margin:24px 0">${link(action.url, action.label, button)}</p>`,
      `<p style="${small}">${link(action.url, action.url, "color:inherit")}</p>`,
    );
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(oneLine(subject))}</title>`;
  const html = `<!doctype html><html lang="en"><head>${head}</head><body style="${page}"><div style="${card}">${body.join("\n")}</div></body></html>\n`;
  return { subject: oneLine(subject), text: `${text}\n`, html, ...(secret !== undefined && { secret }) };
}

export const composeVerification = (to: { token: string; url: string }) =>
  compose({
    subject: "Verify your email address",
    to: null,
    paragraphs: [
      "Open this link within 24 hours to verify your email address. It can be used once.",
      "If you did not create an account, open it too: the page shows from where it was created and lets you delete it. An account that is not verified is deleted after 7 days.",
    ],
    action: { label: "Verify email address", url: to.url },
    secret: to.token,
  });

export const composeReset = (to: { name: string | null; token: string; url: string }) =>
  compose({
    subject: "Reset your password",
    to: to.name,
    paragraphs: [
      "We received a request to reset your password. Open this link within one hour. It can be used once.",
      `On the command line, use this token: ${to.token}`,
      "If you did not request this, ignore this email. Your password was not changed.",
    ],
    action: { label: "Reset your password", url: to.url },
    secret: to.token,
  });

/** The same to both addresses; `name` is null for the new one, which nobody verified. */
export const composeEmailChange = (about: { name: string | null; token: string; url: string; to: string }) =>
  compose({
    subject: "Confirm the change of your email address",
    to: about.name,
    paragraphs: [
      `The email address of a playtest account is to be changed to ${about.to}.`,
      "Both addresses get a link. The address changes when both were opened, each once, within 24 hours.",
      "If you did not request this, do not open the link: then nothing changes.",
    ],
    action: { label: "Confirm the change", url: about.url },
    secret: about.token,
  });

export const composeSignIn = (to: { name: string | null; token: string; url: string }) =>
  compose({
    subject: "Your sign-in link",
    to: to.name,
    paragraphs: [
      "Open this link within 15 minutes to sign in. It can be used once.",
      "If you did not request this, ignore this email.",
    ],
    action: { label: "Sign in", url: to.url },
    secret: to.token,
  });

/** Something that only the owner of an account should do, and who did it. */
export interface Happened {
  name: string;
  /** Milliseconds. */
  at: number;
  address: string;
  agent: string | null;
  /** Where a new password can be requested. */
  resetUrl: string;
}

const whoDid = ({ at, address, agent }: Happened) =>
  [
    `Time: ${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`,
    `Address: ${address}`,
    ...(agent === null ? [] : [`With: ${nameInMail(agent)}`]),
  ].join("\n");

const resetAction = ({ resetUrl: url }: Happened) => ({ label: "Reset your password", url });

export const composePasswordChanged = (about: Happened) =>
  compose({
    subject: "Your password was changed",
    to: about.name,
    paragraphs: [
      "The password of your account was changed, and every browser was signed out.",
      whoDid(about),
      "If this was you, you do not need to do anything. If not, reset your password now and revoke your API keys.",
    ],
    action: resetAction(about),
  });

export const composeNewKey = (about: Happened & { key: { id: string; name: string; prefix: string } }) =>
  compose({
    subject: "A new API key was created",
    to: about.name,
    paragraphs: [
      `The API key ${nameInMail(about.key.name)} (${about.key.prefix}…) was created for your account.`,
      whoDid(about),
      `If this was not you, revoke it: playtest auth keys revoke ${about.key.id}`,
      "Then reset your password.",
    ],
    action: resetAction(about),
  });

export const composeNewSignIn = (about: Happened) =>
  compose({
    subject: "New sign-in to your account",
    to: about.name,
    paragraphs: [
      "Somebody signed in to your account in a browser that was not signed in before.",
      whoDid(about),
      "If this was you, you do not need to do anything. If not, reset your password now: that signs out every browser.",
    ],
    action: resetAction(about),
  });

export const composeWebhookDisabled = (to: { name: string; url: string; id: string }) =>
  compose({
    subject: "Your webhook was disabled",
    to: to.name,
    paragraphs: [
      `Your webhook ${to.url} was disabled because too many deliveries in a row failed.`,
      "No events are lost. Pending deliveries resume when you enable the webhook, and events that occur until then can be redelivered.",
      `Fix your endpoint, then run: playtest webhooks enable ${to.id}`,
      `To redeliver the events that occurred until then, run: playtest webhooks redeliver ${to.id} --since 2d --undelivered`,
    ],
  });

export const composeTrialApproved = (to: { name: string; gameName: string }) =>
  compose({
    subject: `Your free trial of ${nameInMail(to.gameName)} is approved`,
    to: to.name,
    paragraphs: [`The free trial of ${nameInMail(to.gameName)} is approved and now visible to playtesters.`],
  });

export const composeTrialRejected = (to: { name: string; gameName: string; reason: string | undefined }) =>
  compose({
    subject: `Your free trial of ${nameInMail(to.gameName)} was not approved`,
    to: to.name,
    paragraphs: [
      `The free trial of ${nameInMail(to.gameName)} was not approved and was cancelled.`,
      ...(to.reason ? [`Reason: ${to.reason}`] : []),
      "You can order the free trial again.",
    ],
  });

export const composeReceipt = (to: {
  name: string;
  amountCents: number;
  description: string;
  paymentId: string;
  paidAt: string;
}) =>
  compose({
    subject: `Receipt for ${usd(to.amountCents)}`,
    to: to.name,
    paragraphs: [
      `We received your payment of ${usd(to.amountCents)} on ${to.paidAt}. Thank you.`,
      `For: ${to.description}\nPayment: ${to.paymentId}`,
      `To download the invoice, run: playtest billing invoice ${to.paymentId}`,
    ],
  });
