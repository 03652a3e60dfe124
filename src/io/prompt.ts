import { Interrupted, usage } from "../errors.ts";
import type { Io } from "./io.ts";
import { oneLine } from "./text.ts";

type Prompts = typeof import("@inquirer/prompts");

export interface Choice {
  value: string;
  name: string;
}

/** A choice made by pressing its key. */
export interface KeyChoice {
  key: "a" | "c" | "p" | "q" | "r" | "s" | "t";
  value: string;
  name: string;
}

/** Prompts on the terminal. If prompting is impossible, each throws a usage error with the hint `instead`. */
export interface Prompt {
  readonly possible: boolean;
  confirm(question: string, instead: string): Promise<boolean>;
  text(question: string, instead: string, initial?: string): Promise<string>;
  /** A line that may be empty. */
  optional(question: string, instead: string): Promise<string>;
  secret(question: string, instead: string): Promise<string>;
  menu(question: string, choices: readonly KeyChoice[], instead: string): Promise<string>;
  choose(question: string, choices: readonly Choice[], instead: string): Promise<string>;
}

const rethrow = (error: unknown): never => {
  if (error instanceof Error && error.name === "ExitPromptError") throw new Interrupted("SIGINT");
  throw error;
};

export function createPrompt(io: Io, noInput: boolean): Prompt {
  const { terminal, env, stdin, stderr, signal } = io;
  const named = (["CI", "PLAYTEST_NO_INPUT"] as const).find((name) => env[name]);
  const disabled = noInput ? "--no-input is given" : named && `${named} is set`;
  const possible = terminal.stdin && terminal.stderr && disabled === undefined;
  const streams = { input: stdin, output: stderr, signal };

  /** Loads the prompt library only when it is needed. Control characters in the question are escaped. */
  async function ask<T>(question: string, instead: string, run: (prompts: Prompts, message: string) => Promise<T>) {
    if (!possible) {
      const why = disabled === undefined ? "Cannot prompt without a terminal" : `Cannot prompt because ${disabled}`;
      throw usage(`${question} ${why}. Nothing was changed.`, instead);
    }
    return run(await import("@inquirer/prompts"), oneLine(question)).catch(rethrow);
  }

  return {
    possible,
    confirm: (question, instead) =>
      ask(question, instead, (prompts, message) => prompts.confirm({ message, default: false }, streams)),
    text: (question, instead, initial) =>
      ask(question, instead, (prompts, message) =>
        prompts.input({ message, required: true, ...(initial && { default: initial }) }, streams),
      ),
    optional: (question, instead) => ask(question, instead, (prompts, message) => prompts.input({ message }, streams)),
    menu: (question, choices, instead) =>
      ask(question, instead, (prompts, message) => prompts.expand({ message, choices, expanded: true }, streams)),
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
