import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../lib/folders.ts";
import { filesIn, flush, sizeOf } from "../local-blobs.ts";

/** Keys whose files are to be removed elsewhere: empty files in a folder, so that no removal is lost. */
export class Marks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(key: string): Promise<void> {
    const path = join(this.#folder, key);
    makeFolder(dirname(path));
    await (await open(path, "w", 0o600)).close();
    await flush(dirname(path));
  }

  has = async (key: string) => (await sizeOf(join(this.#folder, key))) !== undefined;
  remove = (key: string) => rm(join(this.#folder, key), { force: true });

  async *keys(): AsyncGenerator<string> {
    for await (const kind of filesIn(this.#folder))
      for await (const { name } of filesIn(join(this.#folder, kind.name))) yield `${kind.name}/${name}`;
  }
}
