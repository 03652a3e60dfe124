import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { program } from "./process.ts";

/** The program on a terminal of its own, and somebody at the keyboard. */
export interface Sitting {
  /** Waits until the screen has shown a text, behind what was waited for before; then types. */
  see(text: string, keys?: string): Promise<void>;
  /** Everything the terminal got. */
  readonly shown: string;
  /** Resolves with the exit code. */
  ended: Promise<number>;
  /** Whether the terminal is as it was: its settings, and the cursor is there. */
  restored(): boolean;
}

const running = new Set<IPty>();

/** Sits down at a terminal in `folder` and runs the program. */
export const sitDown = (folder: string, argv: readonly string[], env: Record<string, string>): Sitting =>
  sitAt(folder, [process.execPath, program, ...argv], env);

/** Runs any command at a terminal; the shell around it notes the terminal's settings before and after, and outlives Ctrl-C. */
export function sitAt(folder: string, command: readonly string[], env: Record<string, string>): Sitting {
  const script = 'trap : INT; stty -g > before; "$@"; code=$?; stty -g > after; exit $code';
  const pty = spawn("/bin/sh", ["-c", script, "sh", ...command], {
    cwd: folder,
    cols: 100,
    rows: 40,
    env: { PATH: process.env.PATH!, HOME: folder, PLAYTEST_CONFIG_DIR: join(folder, "config"), TERM: "xterm-256color", ...env },
  });
  running.add(pty);
  let shown = "";
  let read = 0;
  let look = () => {};
  pty.onData((text) => {
    shown += text;
    look();
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      running.delete(pty);
      resolve(exitCode);
      look();
    });
  });
  return {
    ended,
    get shown() {
      return shown;
    },
    see: (text, keys) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = shown.indexOf(text, read);
          if (at < 0 && running.has(pty)) return;
          look = () => {};
          if (at < 0) return reject(new Error(`The program ended before it showed ${JSON.stringify(text)}:\n${shown}`));
          read = at + text.length;
          if (keys !== undefined) pty.write(keys);
          resolve();
        };
        look();
      }),
    restored() {
      const settings = (name: string) => readFileSync(join(folder, name), "utf8");
      return settings("before") === settings("after") && shown.lastIndexOf("\u001b[?25h") >= shown.lastIndexOf("\u001b[?25l");
    },
  };
}

/** Kills what a test left at its terminal. */
export function leaveAll(): void {
  for (const pty of running) pty.kill("SIGKILL");
}
