import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../errors.ts";
import { temporaryFolder } from "./files/temporary.ts";
import type { Io } from "./io.ts";

/** `$VISUAL` or `$EDITOR`, which may name options too, split at spaces: no shell parses it. */
function editorOf({ env, platform }: Io): [string, ...string[]] {
  const [program, ...options] = (env.VISUAL || env.EDITOR || "").split(/\s+/).filter(Boolean);
  return program ? [program, ...options] : [platform === "win32" ? "notepad" : "vi"];
}

/**
 * Lets a person edit a text in their editor and calls `use` with the result. The file is in a folder that only they can read, with the
 * given name. When the editor or `use` fails, a file that was changed stays and its path is printed, so that no work is lost.
 */
export async function withEditor<T>(io: Io, name: string, text: string, use: (edited: string) => Promise<T>): Promise<T> {
  const folder = await temporaryFolder("edit");
  const path = join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(path, text, { mode: 0o600 });
    await runEditor(io, path);
    const result = await use(await readFile(path, "utf8"));
    await remove();
    return result;
  } catch (error) {
    // An editor may save before it fails.
    const edited = await readFile(path, "utf8").catch(() => text);
    if (edited === text) await remove();
    else io.err(`Your edited text is kept in ${path}\n`);
    throw error;
  }
}

async function runEditor(io: Io, path: string): Promise<void> {
  const { spawn } = await import("node:child_process");
  const [program, ...options] = editorOf(io);
  const child = spawn(program, [...options, path], { stdio: "inherit", cwd: io.cwd(), env: { ...io.env } });
  const [code] = (await once(child, "close").catch((error: Error) => {
    throw failure(
      `Cannot start the editor ${program}: ${error.message}. Nothing was changed.`,
      "Set EDITOR to your editor.",
      error,
    );
  })) as [number | null];
  if (code !== 0) throw failure(`The editor ${program} failed. Nothing was changed.`);
}
