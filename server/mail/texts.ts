import { usd } from "../lib/money.ts";

/** A mail as text and HTML. People's own words go in as text and, escaped, into the HTML. */
export interface Letter {
  subject: string;
  text: string;
  html: string;
}

interface Parts {
  subject: string;
  greeting: string;
  paragraphs: string[];
  /** One thing to do. */
  action?: { label: string; url: string };
}

export const escapeHtml = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** A subject is one line, whatever a name contains. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

// Mail programs drop style sheets: each element carries its own.
const page =
  "margin:0;padding:24px 12px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,-apple-system,Segoe UI,sans-serif";
const card = "max-width:560px;margin:0 auto;padding:8px 28px 16px;background:#fff;border-radius:8px;overflow-wrap:anywhere";
const button = "display:inline-block;padding:10px 20px;background:#1d4ed8;color:#fff;border-radius:6px;text-decoration:none";
const small = "font-size:13px;color:#52525b";

const link = (url: string, label: string, style: string) =>
  `<a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a>`;

export function compose({ subject, greeting, paragraphs, action }: Parts): Letter {
  const text = [greeting, ...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : [])].join("\n\n");
  const body = [greeting, ...paragraphs].map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`);
  if (action)
    body.push(
      `<p style="margin:24px 0">${link(action.url, action.label, button)}</p>`,
      `<p style="${small}">${link(action.url, action.url, "color:inherit")}</p>`,
    );
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(oneLine(subject))}</title>`;
  const html = `<!doctype html><html lang="en"><head>${head}</head><body style="${page}"><div style="${card}">${body.join("\n")}</div></body></html>\n`;
  return { subject: oneLine(subject), text: `${text}\n`, html };
}

export const composeVerification = (to: { name: string; url: string }) =>
  compose({
    subject: "Verify your email address",
    greeting: `Hello ${to.name},`,
    paragraphs: [
      "Open this link within 24 hours to verify your email address. It can be used once.",
      "If you did not create an account, ignore this email.",
    ],
    action: { label: "Verify email address", url: to.url },
  });

export const composeReset = (to: { name: string; token: string; url: string }) =>
  compose({
    subject: "Reset your password",
    greeting: `Hello ${to.name},`,
    paragraphs: [
      "We received a request to reset your password. Open this link within one hour. It can be used once.",
      `On the command line, use this token: ${to.token}`,
      "If you did not request this, ignore this email. Your password was not changed.",
    ],
    action: { label: "Reset your password", url: to.url },
  });

export const composeSignIn = (to: { name: string; url: string }) =>
  compose({
    subject: "Your sign-in link",
    greeting: `Hello ${to.name},`,
    paragraphs: [
      "Open this link within 15 minutes to sign in. It can be used once.",
      "If you did not request this, ignore this email.",
    ],
    action: { label: "Sign in", url: to.url },
  });

export const composeWebhookDisabled = (to: { name: string; url: string; id: string }) =>
  compose({
    subject: "Your webhook was disabled",
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Your webhook ${to.url} was disabled because too many deliveries in a row failed.`,
      "No events are lost. Pending deliveries resume when you enable the webhook, and events that occur until then can be redelivered.",
      `Fix your endpoint, then run: playtest webhooks enable ${to.id}`,
      `To redeliver the events that occurred until then, run: playtest webhooks redeliver ${to.id} --since 2d --undelivered`,
    ],
  });

export const composeTrialApproved = (to: { name: string; gameName: string }) =>
  compose({
    subject: `Your free trial of ${to.gameName} is approved`,
    greeting: `Hello ${to.name},`,
    paragraphs: [`The free trial of ${to.gameName} is approved and now visible to playtesters.`],
  });

export const composeTrialRejected = (to: { name: string; gameName: string; reason: string | undefined }) =>
  compose({
    subject: `Your free trial of ${to.gameName} was not approved`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `The free trial of ${to.gameName} was not approved and was cancelled.`,
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
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `We received your payment of ${usd(to.amountCents)} on ${to.paidAt}. Thank you.`,
      `For: ${to.description}\nPayment: ${to.paymentId}`,
      `To download the invoice, run: playtest billing invoice ${to.paymentId}`,
    ],
  });
