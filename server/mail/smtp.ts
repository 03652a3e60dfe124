import { type Mailer, MailRefused } from "./mailer.ts";
import { messageOf } from "./message.ts";

const connectionTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;

/** The fields of nodemailer's errors that are used here. */
interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
}

/**
 * Sends through the SMTP server of an `smtp://` or `smtps://` URL, and signs in there if the URL has a user and password. TLS is required
 * except for a server on this machine, because emails contain links that sign people in.
 */
export function createSmtp(smtpUrl: string): Mailer {
  const url = new URL(smtpUrl);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isLocal = host === "localhost" || host === "::1" || host.startsWith("127.");
  let transport: ReturnType<typeof connect> | undefined;

  async function connect() {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      host,
      port: url.port === "" ? (url.protocol === "smtps:" ? 465 : 587) : Number(url.port),
      secure: url.protocol === "smtps:",
      requireTLS: !isLocal,
      ...(url.username === ""
        ? {}
        : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
      tls: { rejectUnauthorized: !isLocal },
      connectionTimeout: connectionTimeoutMs,
      greetingTimeout: connectionTimeoutMs,
      socketTimeout: silenceTimeoutMs,
    });
  }

  return {
    name: `SMTP via ${url.host}`,
    delivers: true,
    async send(mail) {
      transport ??= connect();
      try {
        await (await transport).sendMail(messageOf(mail));
      } catch (error) {
        if (isFinal(error as SmtpError)) throw new MailRefused((error as Error).message, { cause: error });
        throw error;
      }
    },
    async close() {
      if (transport) (await transport).close();
    },
  };
}

/** A 5xx reply rejects this email. A failed sign-in at the SMTP server does not: the operator can fix that. */
const isFinal = ({ responseCode = 0, code }: SmtpError) => responseCode >= 500 && responseCode < 600 && code !== "EAUTH";
