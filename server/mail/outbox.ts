import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileIdOf } from "../lib/row-file.ts";
import type { Mailer } from "./mailer.ts";
import { messageOf } from "./message.ts";

const unencoded = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n";

/** With the text as it is, because people copy links out of these files: quoted-printable breaks long lines and writes `=` as `=3D`. */
const readable = ({ text, ...message }: ReturnType<typeof messageOf>) => ({
  ...message,
  text: message.html === undefined ? text : { raw: unencoded + text },
});

/** Used when no SMTP server is configured: writes each email to an `.eml` file in a folder. */
export function createOutbox(folder: string): Mailer {
  return {
    name: "outbox",
    delivers: false,
    async send(mail) {
      const file = join(folder, `${fileIdOf(mail.id)}.eml`);
      const { createTransport } = await import("nodemailer");
      const composer = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
      const { message } = await composer.sendMail(readable(messageOf(mail)));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Written under another name first, so that a reader of the folder never sees an incomplete email.
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    async close() {},
  };
}
