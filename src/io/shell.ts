import { spawn } from "node:child_process";
import { failure } from "../errors.ts";
import type { Io } from "./io.ts";

/**
 * Runs a command line through the shell and gives its exit code. Data reaches it by standard input and environment only, never by
 * substitution, so that nothing a stranger wrote can become a command. Its output goes to standard error: standard output is ours.
 */
export function runShell(io: Io, command: string, input: string, env: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, cwd: io.cwd(), env: { ...io.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => io.err(chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => io.err(chunk.toString("utf8")));
    child.on("error", (error) => reject(failure(`${command} could not be started: ${error.message}.`, undefined, error)));
    child.on("close", (code, signal) => resolve(code ?? (signal ? 1 : 0)));
    // A command that does not read its input closes the pipe: that is its choice.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
