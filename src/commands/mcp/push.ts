import { once } from "node:events";
import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import type { PushedBuild, StdioParts } from "../../../server/mcp/stdio.ts";
import type { Context } from "../../cli/define.ts";
import { reasonIn } from "../../contract/input/reason.ts";
import { DryRun, failure, usage } from "../../errors.ts";

/** The real path of something inside the root. A link that leads out of it is not inside. */
async function inside(root: string, path: string): Promise<string> {
  const wrong = usage(`${path} is not a file or folder inside the folder that --root names. Nothing was sent.`);
  const [folder, found] = await Promise.all([realpath(root), realpath(resolve(root, path))]).catch(() => {
    throw wrong;
  });
  const below = relative(folder, found);
  if (below === ".." || below.startsWith(`..${sep}`) || resolve(folder, below) !== found) throw wrong;
  return found;
}

/** What the command printed. */
interface Result {
  version?: string;
  skipped: boolean;
  skippedFiles: readonly unknown[];
}

/**
 * Uploads builds with `playtest games push`, in a process of its own: all its checks of what a build holds apply, and what it prints
 * cannot get between the messages of the protocol.
 */
export function createPusher(ctx: Context, root: string): NonNullable<StdioParts["pushBuild"]> {
  return async (path, gameId, signal): Promise<PushedBuild> => {
    const source = await inside(root, path);
    if (ctx.flags.dryRun) throw new DryRun([]);
    const { spawn } = await import("node:child_process");
    const env = {
      ...ctx.io.env,
      PLAYTEST_BASE_URL: ctx.settings().get("baseUrl")!.value,
      PLAYTEST_API_KEY: ctx.settings().apiKey()!.value,
      ...(ctx.flags.insecure && { PLAYTEST_INSECURE: "1" }),
    };
    const given = [
      ...process.execArgv,
      process.argv[1]!,
      "games",
      "push",
      "--if-changed",
      "--json",
      "--no-input",
      "--",
      source,
      gameId,
    ];
    const child = spawn(process.execPath, given, {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.any([signal, ctx.signal]),
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    await once(child, "close");
    if (child.exitCode !== 0)
      throw failure(
        reasonIn(Buffer.concat(err).toString()) ?? "The build could not be uploaded. The game's build was not changed.",
      );
    const { result } = JSON.parse(Buffer.concat(out).toString()) as { result: Result };
    const { version = null, skipped, skippedFiles } = result;
    return { version, skipped, skippedFiles: skippedFiles.length };
  };
}
