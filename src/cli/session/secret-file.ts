import { rm, writeFile } from "node:fs/promises";
import { cannotWrite } from "../../errors.ts";

/** The file that a command writes a secret to. It exists before the secret does, and is removed if the secret never comes. */
export class SecretFile {
  #reserved: string | undefined;

  async reserve(file: string): Promise<void> {
    await writeFile(file, "", { mode: 0o600, flag: "wx" }).catch((error: Error) => {
      throw cannotWrite(file, error, "Nothing was done. This command never overwrites an existing file.");
    });
    this.#reserved = file;
  }

  async write(file: string, secret: string): Promise<void> {
    if (this.#reserved !== file) await this.reserve(file);
    await writeFile(file, `${secret}\n`);
    this.#reserved = undefined;
  }

  async removeUnused(): Promise<void> {
    if (this.#reserved !== undefined) await rm(this.#reserved, { force: true });
  }
}
