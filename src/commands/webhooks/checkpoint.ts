import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Context } from "../../cli/define.ts";
import { failure } from "../../errors.ts";
import { sha256 } from "../../io/hash.ts";
import type { Checkpoint } from "../shared/event-source.ts";
import { newSecret } from "./signature.ts";

interface File {
  secret: string;
  checkpoints: Record<string, Checkpoint>;
}

export interface Checkpoints {
  /** The secret that signs local webhooks. It is the same in every run. */
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
 * the event, so that a restart misses nothing.
 */
export function openCheckpoints(ctx: Context, target: string): Checkpoints {
  const path = join(dirname(ctx.store.path), "listen.json");
  const key = keyOf(ctx, target);

  const read = (): File => {
    try {
      const { secret, checkpoints, places } = JSON.parse(readFileSync(path, "utf8")) as File & { places?: File["checkpoints"] };
      // Version 0.1 wrote the checkpoints as "places".
      return { secret, checkpoints: checkpoints ?? places ?? {} };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { secret: newSecret(), checkpoints: {} };
      throw failure(`Cannot read ${path}: ${(error as Error).message}.`, "Remove it to start over with a new secret.", error);
    }
  };
  const write = (file: File) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.part`, JSON.stringify(file), { mode: 0o600 });
    renameSync(`${path}.part`, path);
  };

  const first = read();
  write(first);
  return {
    secret: first.secret,
    read: () => read().checkpoints[key] ?? {},
    save(checkpoint) {
      // Read the file again, because another listener may have saved its checkpoint meanwhile.
      const file = read();
      file.checkpoints[key] = checkpoint;
      write(file);
    },
  };
}
