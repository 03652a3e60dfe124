import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mailer } from "./index.ts";

/** Without SMTP: each mail becomes a readable `.eml` text file in a folder. */
export function createOutbox(folder: string): Mailer {
  return {
    name: "outbox",
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const head = [
        `Date: ${new Date(mail.createdAt).toUTCString()}`,
        `From: ${mail.from}`,
        `To: ${mail.to}`,
        `Subject: ${mail.subject}`,
      ];
      const file = join(folder, `${mail.id}.eml`);
      await writeFile(`${file}.part`, `${head.join("\n")}\nContent-Type: text/plain; charset=utf-8\n\n${mail.text}`, {
        mode: 0o600,
      });
      await rename(`${file}.part`, file);
    },
    async close() {},
  };
}
