import type { ChildProcess } from "node:child_process";
import type { Io } from "./io.ts";

/** Whether a program can lead a group of processes of its own. Windows has no such groups: there only the program itself ends. */
export const hasGroups = ({ platform }: Pick<Io, "platform">) => platform !== "win32";

/** Sends a signal to a program and, if it leads a group (it was started `detached`), to all that it started. */
export function signalGroup(child: ChildProcess, leads: boolean, signal: NodeJS.Signals): void {
  try {
    if (leads && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended meanwhile.
  }
}
