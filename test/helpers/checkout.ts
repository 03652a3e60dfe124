import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { testFolder } from "./cli.ts";
import { cheapPasswords, program, readyFile, spawnPlaytest } from "./process.ts";
import { freshFolder } from "./store.ts";

/** A server of its own process with the demo; `killLeftovers` ends it. */
export async function startDemo() {
  const folder = freshFolder();
  const [ready, config] = [join(folder, "ready.json"), join(folder, "config.json")];
  writeFileSync(config, JSON.stringify({ passwords: cheapPasswords }));
  const flags = ["--ephemeral", "--seed", "minimal", "--port", "0", "--rate-limit", "off"];
  spawnPlaytest(folder, ["serve", "run", ...flags, "--config", config, "--ready-file", ready]);
  return readyFile(ready);
}

/** The search path of a shell that finds `playtest` in a checkout. */
export const shellPath = (folder: string) => `${join(folder, "bin")}${delimiter}${process.env.PATH}`;

/** A repository with a build and the program on its path, as a runner has them. */
export function checkout(): string {
  const folder = testFolder();
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "build"));
  writeFileSync(join(folder, "bin/playtest"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(folder, "bin/playtest"), 0o755);
  writeFileSync(join(folder, "build/index.html"), folder);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder });
  git("init", "-q");
  git("add", "build");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "one");
  return folder;
}
