import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../cli/define.ts";
import { sha256 } from "../../contract/hash/sha256.ts";
import { failure } from "../../errors.ts";
import { cacheFile } from "../../io/files/cache-file.ts";
import type { Checkpoint } from "../shared/event-source.ts";
import { newSecret } from "./signature.ts";

interface File {
  secret: string;
  checkpoints: Record<string, Checkpoint>;
}

export interface Checkpoints {
  /** The secret that signs local webhooks. It is the same in every run, where it can be kept. */
  secret: string;
  read(): Checkpoint;
  save(checkpoint: Checkpoint): void;
}

const keyOf = (ctx: Context, target: string) => {
  const who = sha256()
    .update(ctx.settings().apiKey()?.value ?? "")
    .digest("hex")
    .slice(0, 16);
  return `${ctx.settings().get("baseUrl")!.value} ${who} ${target}`;
};

/**
 * The checkpoints of all listeners of this user, in one private file beside the settings. A checkpoint is saved after the receiver has
 * the event, so that a restart misses nothing. Where the file cannot be written, the listener says so and goes on.
 */
export function openCheckpoints(ctx: Context, target: string): Checkpoints {
  const { directory } = ctx.store;
  const name = "listen.json";
  const file = cacheFile(directory, name);
  const key = keyOf(ctx, target);

  const read = (): File => {
    if (directory === undefined) return { secret: newSecret(), checkpoints: {} };
    const path = join(directory, name);
    try {
      const { secret, checkpoints, places } = JSON.parse(readFileSync(path, "utf8")) as File & { places?: File["checkpoints"] };
      // Version 0.1 wrote the checkpoints as "places".
      return { secret, checkpoints: checkpoints ?? places ?? {} };
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
        return { secret: newSecret(), checkpoints: {} };
      throw failure(`Cannot read ${path}: ${(error as Error).message}.`, "Remove it to start over with a new secret.", error);
    }
  };

  let kept = true;
  function write(content: File) {
    if (!kept || file.write(content)) return;
    kept = false;
    const why = directory === undefined ? "there is no home folder" : `${join(directory, name)} cannot be written`;
    ctx.out.warn(
      `The position and secret of this run cannot be saved, because ${why}. The next run resumes from the last saved position, and ` +
        "signs with another secret unless you pass --secret-file.",
    );
  }

  const first = read();
  write(first);
  return {
    secret: first.secret,
    read: () => first.checkpoints[key] ?? {},
    save(checkpoint) {
      if (!kept) return;
      // Read the file again, because another listener may have saved its checkpoint meanwhile.
      const current = read();
      current.checkpoints[key] = checkpoint;
      write(current);
    },
  };
}
