import { type Mailer, MailRefused } from "./mailer.ts";
import { messageOf } from "./message.ts";
import { isFinal } from "./rules.ts";

const connectionTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;

/** The fields of nodemailer's errors that are used here. */
interface SmtpError extends Error {
  responseCode?: number;
  response?: string;
  command?: string;
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
        throw refusal(error as SmtpError) ?? error;
      }
    },
    async close() {
      if (transport) (await transport).close();
    },
  };
}

/** The error of an email that the server will never take. */
function refusal(error: SmtpError): MailRefused | undefined {
  const { responseCode: status = 0, response: text = error.message, command = "" } = error;
  return isFinal({ status, text, command }) ? new MailRefused(error.message, { cause: error }) : undefined;
}
