import { Interrupted, usage } from "../errors.ts";
import type { Io } from "./io.ts";
import { oneLine } from "./text.ts";

type Prompts = typeof import("@inquirer/prompts");

export interface Choice {
  value: string;
  name: string;
}

/** A choice made by pressing its key: a letter, a digit, `return` or `escape`. */
export interface KeyChoice<V extends string = string> {
  key: string;
  value: V;
  name: string;
}

/** Prompts on the terminal. If prompting is impossible, each throws a usage error with the hint `instead`. */
export interface Prompt {
  readonly possible: boolean;
  /** `notDone`: what the error says was not done. */
  confirm(question: string, instead: string, notDone?: string): Promise<boolean>;
  /** `fault`: says what is wrong with an answer, which is then asked for again. */
  text(question: string, instead: string, initial?: string, fault?: (answer: string) => string | undefined): Promise<string>;
  /** A line that may be empty. */
  optional(question: string, instead: string): Promise<string>;
  secret(question: string, instead: string): Promise<string>;
  /** One key chooses, without the return key. Other keys are ignored. */
  menu<V extends string>(question: string, choices: readonly KeyChoice<V>[], instead: string): Promise<V>;
  choose(question: string, choices: readonly Choice[], instead: string): Promise<string>;
}

const rethrow = (error: unknown): never => {
  if (error instanceof Error && error.name === "ExitPromptError") throw new Interrupted("SIGINT");
  throw error;
};

const keyNames: Readonly<Record<string, string>> = { return: "Enter", escape: "Esc" };

/** Shows the choices and waits for the key of one. The prompt library has none that acts without the return key. */
async function keyPress<V extends string>(
  { stdin, stderr, signal }: Io,
  question: string,
  choices: readonly KeyChoice<V>[],
): Promise<V> {
  const { emitKeypressEvents } = await import("node:readline");
  const rows = choices.map(({ key, name }) => `  ${(keyNames[key] ?? key).padEnd(5)}  ${oneLine(name)}\n`);
  const terminal = stdin as Io["stdin"] & { setRawMode?(raw: boolean): unknown };
  const stop = new AbortController();
  emitKeypressEvents(stdin);
  terminal.setRawMode?.(true);
  const pressed = new Promise<V>((resolve, reject) => {
    const onKey = (_: string | undefined, key: { name?: string; sequence?: string; ctrl?: boolean }) => {
      if (key.ctrl && (key.name === "c" || key.name === "d")) return reject(new Interrupted("SIGINT"));
      const chosen = key.ctrl ? undefined : choices.find((choice) => choice.key === key.name || choice.key === key.sequence);
      if (chosen) resolve(chosen.value);
    };
    stdin.on("keypress", onKey);
    stop.signal.addEventListener("abort", () => stdin.removeListener("keypress", onKey));
    signal.addEventListener("abort", () => reject(signal.reason), { signal: stop.signal });
  });
  stdin.resume();
  stderr.write(`${question}\n${rows.join("")}`);
  try {
    signal.throwIfAborted();
    const value = await pressed;
    stderr.write(`> ${oneLine(choices.find((choice) => choice.value === value)!.name)}\n`);
    return value;
  } finally {
    stop.abort();
    terminal.setRawMode?.(false);
    stdin.pause();
  }
}

export function createPrompt(io: Io, noInput: boolean): Prompt {
  const { terminal, env, stdin, stderr, signal } = io;
  const named = (["CI", "PLAYTEST_NO_INPUT"] as const).find((name) => env[name]);
  const disabled = noInput ? "--no-input is given" : named && `${named} is set`;
  const possible = terminal.stdin && terminal.stderr && disabled === undefined;
  const streams = { input: stdin, output: stderr, signal };

  function requirePrompts(question: string, instead: string, notDone = "Nothing was changed.") {
    if (possible) return;
    const why = disabled === undefined ? "Cannot prompt without a terminal" : `Cannot prompt because ${disabled}`;
    throw usage(`${question} ${why}. ${notDone}`, instead);
  }

  /** Loads the prompt library only when it is needed. Control characters in the question are escaped. */
  async function ask<T>(question: string, instead: string, run: (prompts: Prompts, message: string) => Promise<T>) {
    requirePrompts(question, instead);
    return run(await import("@inquirer/prompts"), oneLine(question)).catch(rethrow);
  }

  return {
    possible,
    async confirm(question, instead, notDone) {
      requirePrompts(question, instead, notDone);
      return ask(question, instead, (prompts, message) => prompts.confirm({ message, default: false }, streams));
    },
    text: (question, instead, initial, fault) =>
      ask(question, instead, (prompts, message) => {
        const validate = (answer: string) => fault?.(answer) ?? true;
        return prompts.input({ message, required: true, validate, ...(initial && { default: initial }) }, streams);
      }),
    optional: (question, instead) => ask(question, instead, (prompts, message) => prompts.input({ message }, streams)),
    menu: (question, choices, instead) => {
      requirePrompts(question, instead);
      return keyPress(io, oneLine(question), choices);
    },
    secret: (question, instead) =>
      ask(question, instead, (prompts, message) => prompts.password({ message, mask: "•" }, streams)),
    choose: (question, choices, instead) =>
      ask(question, instead, async (prompts, message) => {
        const shown = choices.map(({ value, name }) => ({ value, name: oneLine(name) }));
        for (;;) {
          let matching = shown;
          const source = (term = "") => {
            matching = shown.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(term.toLowerCase()));
            return matching;
          };
          const taken = await prompts.search({ message, source }, streams);
          // Pasted input can select from the list before it is filtered. Never return an item that the input does not match.
          if (matching.some(({ value }) => value === taken)) return taken;
          if (matching[0]) return matching[0].value;
        }
      }),
  };
}
