import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../cli/define.ts";
import { decode } from "../../contract/input/decode.ts";
import { usage } from "../../errors.ts";

/** The version of a build: given, or from git, or from a VERSION file or package.json in the directory. */
export async function versionLabel(
  ctx: Context,
  { versionLabel: label, versionFrom: from }: { versionLabel: string | undefined; versionFrom: "git" | "file" | undefined },
  directory: string,
): Promise<string | undefined> {
  if (label !== undefined && from !== undefined) throw usage("--version-label and --version-from cannot be used together.");
  if (from === "git") return fromGit(ctx, directory);
  return from === "file" ? fromFile(directory) : label;
}

/** The version of the repository that the build is in. What git says about a failure is left out: the error says it. */
async function fromGit(ctx: Context, directory: string) {
  const { shellOutput } = await import("../../io/shell.ts");
  const { code, out } = await shellOutput(ctx.io, "git describe --tags --always --dirty", { cwd: directory, quiet: true });
  if (code !== 0) throw usage(`--version-from git: ${directory} is not in a git repository with a commit.`);
  return out.trim();
}

function parsed(manifest: string): { version?: string } | undefined {
  try {
    return JSON.parse(manifest) as { version?: string };
  } catch {
    return undefined;
  }
}

async function fromFile(directory: string) {
  const text = async (name: string) => {
    const bytes = await readFile(join(directory, name)).catch(() => undefined);
    return bytes && decode(bytes, `--version-from file: ${name}`, "Save it as UTF-8.");
  };
  const plain = (await text("VERSION")) ?? (await text("version.txt"));
  const [line = ""] = plain?.trim().split(/\r?\n/) ?? [];
  if (line !== "") return line.trim();
  const manifest = await text("package.json");
  const version = manifest && parsed(manifest)?.version;
  if (version) return version;
  throw usage(`--version-from file: ${directory} has no VERSION, version.txt or package.json with a version.`);
}
