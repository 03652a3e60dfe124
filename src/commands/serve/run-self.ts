import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import type { CommandResult, RunCommand } from "../../../server/operations/backups/command.ts";
import type { Io } from "../../io/io.ts";

/** As programs in the background have it, so that requests come first. */
const background = 10;

/** Runs a command of this program in a process of its own. A variable that is given replaces the file that names its value, too. */
export const runSelf =
  ({ env }: Pick<Io, "env">): RunCommand =>
  (argv, variables, signal) => {
    const kept = Object.entries(env).filter(([name]) => !(name.replace(/_FILE$/, "") in variables));
    const child = spawn(process.execPath, [process.argv[1]!, ...argv], {
      env: { ...Object.fromEntries(kept), ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stop = () => child.kill("SIGTERM");
    signal.addEventListener("abort", stop, { once: true });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    if (child.pid !== undefined) lowerPriority(child.pid);
    return new Promise<CommandResult>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, ...said }));
    }).finally(() => signal.removeEventListener("abort", stop));
  };

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, background);
  } catch {
    // It has ended already, or the system does not allow it: it is only slower for others then.
  }
}
