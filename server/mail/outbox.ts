import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mailer } from "./mailer.ts";
import { messageOf } from "./message.ts";

/** Used when no SMTP server is configured: writes each email to an `.eml` file in a folder, exactly as it would be sent. */
export function createOutbox(folder: string): Mailer {
  return {
    name: "outbox",
    async send(mail) {
      const { createTransport } = await import("nodemailer");
      const composer = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
      const { message } = await composer.sendMail(messageOf(mail));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${mail.id}.eml`);
      // Written under another name first, so that a reader of the folder never sees an incomplete email.
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    async close() {},
  };
}
