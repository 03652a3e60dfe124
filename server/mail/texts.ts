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
    subject: "Verify your e-mail address",
    greeting: `Hello ${to.name},`,
    paragraphs: ["Open this link within 24 hours to verify your address. It works once.", "If you did not register, do nothing."],
    action: { label: "Verify the address", url: to.url },
  });

export const composeReset = (to: { name: string; token: string; url: string }) =>
  compose({
    subject: "Set a new password",
    greeting: `Hello ${to.name},`,
    paragraphs: [
      "Someone, hopefully you, asked for a new password. Open this link within one hour. It works once.",
      `On the command line, use this token instead: ${to.token}`,
      "If it was not you, do nothing: your password stays as it is.",
    ],
    action: { label: "Set a new password", url: to.url },
  });

export const composeSignIn = (to: { name: string; url: string }) =>
  compose({
    subject: "Your link to sign in",
    greeting: `Hello ${to.name},`,
    paragraphs: ["Open this link within 15 minutes to sign in. It works once.", "If you did not ask for it, do nothing."],
    action: { label: "Sign in", url: to.url },
  });

export const composeWebhookDisabled = (to: { name: string; url: string; id: string }) =>
  compose({
    subject: "A webhook was disabled",
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Too many deliveries to your webhook ${to.url} failed one after another, so it was disabled.`,
      "Nothing is lost: what was waiting goes on when you enable it again, and what happens meanwhile can be redelivered.",
      `Mend the receiver, then run: playtest webhooks enable ${to.id}`,
      `For what happened meanwhile: playtest webhooks redeliver ${to.id} --since 2d --undelivered`,
    ],
  });

export const composeTrialApproved = (to: { name: string; gameName: string }) =>
  compose({
    subject: `Your free trial of ${to.gameName} is approved`,
    greeting: `Hello ${to.name},`,
    paragraphs: [`The free trial of ${to.gameName} is approved. Playtesters see it from now on.`],
  });

export const composeTrialRejected = (to: { name: string; gameName: string; reason: string | undefined }) =>
  compose({
    subject: `Your free trial of ${to.gameName} was not approved`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `The free trial of ${to.gameName} was not approved and is cancelled.`,
      ...(to.reason ? [`The reason: ${to.reason}`] : []),
      "The trial is not used up: you may order it again.",
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
      `For the invoice, run: playtest billing invoice ${to.paymentId}`,
    ],
  });
