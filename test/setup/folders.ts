import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A folder in memory where there is one with 2 GiB left; else the one for temporary files. */
export function memoryOrDisk(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 2 ** 31 ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir();
  }
}

const script = `cat
pid=$(head -n 1 "$1/postmaster.pid") && kill -QUIT "$pid"
i=0
while [ -e "$1/postmaster.pid" ] && [ $((i += 1)) -lt 100 ]; do sleep 0.05; done
rm -rf "$1"`;

/**
 * Stops the PostgreSQL in `folder`, if there is one, and removes the folder: when the returned function is called, or when this
 * process ends in whatever way, kill -9 included. A shell does it that reads from a pipe until the pipe is closed.
 */
export function removeOnExit(folder: string): () => Promise<void> {
  const shell = spawn("/bin/sh", ["-c", script, "removeOnExit", folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  shell.unref();
  const remove = async () => {
    // Nothing else may be left that keeps this process waiting.
    shell.ref();
    shell.stdin.end();
    await once(shell, "exit");
  };
  let removed: Promise<void> | undefined;
  return () => {
    removed ??= remove();
    return removed;
  };
}
