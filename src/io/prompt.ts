import { Interrupted, usage } from "../errors.ts";
import type { Io } from "./io.ts";
import { oneLine } from "./text.ts";

type Prompts = typeof import("@inquirer/prompts");

export interface Choice {
  value: string;
  name: string;
}

/** A choice taken by pressing its key. */
export interface KeyChoice {
  key: "a" | "c" | "p" | "q" | "r" | "s" | "t";
  value: string;
  name: string;
}

/** Questions on the terminal. Where none can be asked each throws a usage error naming the flag that answers it. */
export interface Prompt {
  readonly possible: boolean;
  confirm(question: string, instead: string): Promise<boolean>;
  text(question: string, instead: string, initial?: string): Promise<string>;
  /** A line that may stay empty. */
  optional(question: string, instead: string): Promise<string>;
  secret(question: string, instead: string): Promise<string>;
  menu(question: string, choices: readonly KeyChoice[], instead: string): Promise<string>;
  choose(question: string, choices: readonly Choice[], instead: string): Promise<string>;
}

const leaving = (error: unknown): never => {
  if (error instanceof Error && error.name === "ExitPromptError") throw new Interrupted("SIGINT");
  throw error;
};

export function createPrompt(io: Io, noInput: boolean): Prompt {
  const { terminal, env, stdin, stderr, signal } = io;
  const named = (["CI", "PLAYTEST_NO_INPUT"] as const).find((name) => env[name]);
  const silent = noInput ? "--no-input was given" : named && `${named} is set`;
  const possible = terminal.stdin && terminal.stderr && silent === undefined;
  const streams = { input: stdin, output: stderr, signal };

  /** Loads the prompts only when a question is really asked; names in it cannot drive the terminal. */
  async function ask<T>(question: string, instead: string, run: (prompts: Prompts, message: string) => Promise<T>) {
    if (!possible) throw usage(`${question} Nobody can be asked (${silent ?? "no terminal"}); nothing was done.`, instead);
    return run(await import("@inquirer/prompts"), oneLine(question)).catch(leaving);
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
          // Keys that come all at once take from the list as it was before they narrowed it: never a thing that they do not name.
          if (matching.some(({ value }) => value === taken)) return taken;
          if (matching[0]) return matching[0].value;
        }
      }),
  };
}
