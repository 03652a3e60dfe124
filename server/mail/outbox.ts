import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mailer } from "./mailer.ts";
import { messageOf } from "./message.ts";

/** Without SMTP: each mail becomes an `.eml` file in a folder, as it would have been sent. */
export function createOutbox(folder: string): Mailer {
  return {
    name: "outbox",
    async send(mail) {
      const { createTransport } = await import("nodemailer");
      const composer = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
      const { message } = await composer.sendMail(messageOf(mail));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${mail.id}.eml`);
      // Whoever reads the folder must never see half a mail.
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    async close() {},
  };
}
