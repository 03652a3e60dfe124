import { PassThrough } from "node:stream";
import type { Outside } from "../../src/cli/context.ts";
import { main } from "../../src/main.ts";
import { FakeProcess } from "./cli.ts";

/** What is typed when the screen shows a question, and what happens before that. */
export type Answer = [question: string, keys: string, meanwhile?: () => Promise<unknown>];

/** Runs a command at a terminal: types the next answer whenever the screen shows the question it is for. Fails unless all are asked. */
export async function answering(
  words: readonly string[],
  answers: readonly Answer[],
  {
    env,
    cwd,
    outside,
  }: {
    env: Record<string, string>;
    cwd: string /** `answered` says how many answers were given so far. */;
    outside?: (answered: () => number) => Partial<Outside>;
  },
) {
  const fake = new FakeProcess({ env, tty: true, cwd });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  Object.assign(fake, { stdin });
  // Prompts pipe into it, which would end any stream but a process's own.
  Object.assign(fake.stderr, { end: () => fake.stderr });
  const left = [...answers];
  let read = 0;
  // One key a turn, as a person types; a prompt draws itself between two.
  const type = async (keys: string, meanwhile: Answer[2]) => {
    await meanwhile?.();
    for (const key of keys) {
      await new Promise((resolve) => setImmediate(resolve));
      stdin.write(key);
    }
  };
  fake.stderr.onText = (text) => {
    for (let next = left[0]; next !== undefined && text.includes(next[0], read); next = left[0]) {
      read = text.indexOf(next[0], read) + next[0].length;
      left.shift();
      if (next[1] !== "") return void type(next[1], next[2]);
    }
  };
  const code = await main([...words], fake, outside?.(() => answers.length - left.length) ?? {});
  if (left.length > 0) throw new Error(`was not asked: ${left.map(([question]) => question).join(", ")}`);
  return { code, stdout: fake.stdout.text, stderr: fake.stderr.text };
}
