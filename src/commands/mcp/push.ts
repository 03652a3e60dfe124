import { once } from "node:events";
import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import type { PushedBuild, StdioParts } from "../../../server/mcp/stdio.ts";
import type { Context } from "../../cli/define.ts";
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

interface Report {
  result?: { version?: string; skipped?: boolean; skippedFiles?: unknown[] };
  error?: { code: string; message: string };
}

/** What the command printed. */
function readReport(out: string, err: string): Report {
  for (const text of [out, err])
    try {
      return JSON.parse(text) as Report;
    } catch {}
  return {};
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
    const report = readReport(Buffer.concat(out).toString(), Buffer.concat(err).toString());
    if (!report.result) throw failure(report.error?.message ?? "The build could not be uploaded.");
    const { version = null, skipped = false, skippedFiles = [] } = report.result;
    return { version, skipped, skippedFiles: skippedFiles.length };
  };
}
