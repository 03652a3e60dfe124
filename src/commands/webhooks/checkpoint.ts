import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../cli/define.ts";
import { sha256 } from "../../contract/hash/sha256.ts";
import { CliError, failure } from "../../errors.ts";
import { cacheFile } from "../../io/files/cache-file.ts";
import { locked } from "../../io/files/lock.ts";
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
  save(checkpoint: Checkpoint): Promise<void>;
}

/** The beginning and end of a key: the server, and the receiver. Between them is which API key listened. */
const outerPartsOf = (ctx: Context, target: string) => [`${ctx.settings().get("baseUrl")!.value} `, ` ${target}`] as const;

function keyOf(ctx: Context, target: string): string {
  const who = sha256()
    .update(ctx.settings().apiKey()?.value ?? "")
    .digest("hex")
    .slice(0, 16);
  return outerPartsOf(ctx, target).join(who);
}

/** Whether listeners with other API keys have a checkpoint for this server and receiver. */
function othersListened(ctx: Context, target: string, { checkpoints }: File): boolean {
  const [server, receiver] = outerPartsOf(ctx, target);
  return Object.keys(checkpoints).some((key) => key.startsWith(server) && key.endsWith(receiver));
}

/**
 * The checkpoints of all listeners of this user, in one private file beside the settings. A checkpoint is saved after the receiver has
 * the event, so that a restart misses nothing. Where the file cannot be written, the listener says so, goes on, and tries again with
 * the next checkpoint.
 */
export async function openCheckpoints(ctx: Context, target: string): Promise<Checkpoints> {
  const { directory } = ctx.store;
  const name = "listen.json";
  const file = cacheFile(directory, name);
  const key = keyOf(ctx, target);
  let secret = newSecret();

  const read = (): File => {
    if (directory === undefined) return { secret, checkpoints: {} };
    const path = join(directory, name);
    try {
      const stored = JSON.parse(readFileSync(path, "utf8")) as File & { places?: File["checkpoints"] };
      // Version 0.1 wrote the checkpoints as "places".
      return { secret: stored.secret, checkpoints: stored.checkpoints ?? stored.places ?? {} };
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return { secret, checkpoints: {} };
      throw failure(`Cannot read ${path}: ${(error as Error).message}.`, "Remove it to start over with a new secret.", error);
    }
  };

  let failing = false;
  function tell(why: string) {
    if (!failing)
      ctx.out.warn(
        `The position and secret of this run cannot be saved: ${why} The next run resumes from the last saved position, and ` +
          "signs with another secret unless you pass --secret-file.",
      );
    failing = true;
  }

  /** Changes the file, which has the checkpoints of all listeners, while no other listener does. Undefined if it cannot be written. */
  async function update(change: (content: File) => void): Promise<File | undefined> {
    if (directory === undefined) return void tell("there is no home folder.");
    const path = join(directory, name);
    try {
      const content = await locked(path, ctx.now, () => {
        const current = read();
        change(current);
        if (!file.write(current)) throw failure(`${path} cannot be written.`);
        return current;
      });
      failing = false;
      return content;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return void tell(error.message);
    }
  }

  const found = read();
  const first = (await update(() => {})) ?? found;
  secret = first.secret;
  return {
    secret,
    read() {
      const checkpoint = first.checkpoints[key];
      if (checkpoint === undefined && othersListened(ctx, target, first))
        ctx.out.note(
          "No position is saved for this API key, only for other keys with this server and receiver. The run starts with new events. " +
            "If this key replaced one of them, --from-start reads all stored events.",
        );
      return checkpoint ?? {};
    },
    async save(checkpoint) {
      await update(({ checkpoints }) => {
        checkpoints[key] = checkpoint;
      });
    },
  };
}
