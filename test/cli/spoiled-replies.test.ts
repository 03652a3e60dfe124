import { cpSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playtest, type Ran, testFolder } from "../helpers/cli.ts";
import { everyCommand } from "../helpers/every-command.ts";
import { type Answer, type Asked, type Hosted, startHosted } from "../helpers/hosted.ts";
import { partial, unusable } from "../helpers/spoil.ts";
import { newId, oneWorld } from "../helpers/walk.ts";

/** Every command on a server of the specification alone, with each reply that it gets replaced by one that is wrong. */

const world = oneWorld();
let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted(world.server.baseUrl);
});
afterAll(() => hosted.close());

interface Exchange {
  asked: Asked;
  answer: Answer;
}

/** Answers as the server did before, in the same order for each route; what was not asked for then is not there. */
function replay(exchanges: readonly Exchange[], changed: Exchange | undefined, spoiled: Answer | undefined) {
  const left = [...exchanges];
  return ({ method, path }: Asked): Answer => {
    const same = ({ asked }: Exchange) => asked.method === method && asked.path === path;
    const next = left.findIndex(same);
    if (next < 0)
      return exchanges.findLast(same)?.answer ?? { status: 404, raw: '{"error":{"code":"NOT_FOUND","message":"Not found"}}' };
    const [exchange] = left.splice(next, 1);
    return exchange === changed ? { status: exchange!.answer.status!, ...spoiled } : exchange!.answer;
  };
}

/** Runs the command once in earnest. Its successful replies, and how to run it again with one of them spoiled. */
async function rehearse(path: string) {
  const { words = "", cwd, env, code: _, ...options } = await everyCommand[path]!(world);
  const rest = typeof words === "string" ? words.split(" ").filter(Boolean) : words;
  /** In a copy of its folder, because a run may leave something there. */
  function run(): Promise<Ran> {
    const copy = cwd === undefined ? undefined : testFolder();
    if (copy) cpSync(cwd!, copy, { recursive: true });
    const where = { baseUrl: hosted.baseUrl, ...(copy && { cwd: copy }) };
    const given = { key: world.owner.key, ...options, ...where, env: { NO_COLOR: "1", ...env }, outside: { newId } };
    return playtest([...path.split(" "), ...rest], given);
  }
  const exchanges: Exchange[] = [];
  hosted.hooks.interfere = (asked, answer) => void exchanges.push({ asked, answer });
  await run();
  hosted.hooks.interfere = undefined;
  const succeeded = exchanges.filter(({ answer }) => (answer.status ?? 200) < 300);
  async function again(changed: Exchange, spoiled: Answer): Promise<Ran> {
    hosted.hooks.refuse = replay(exchanges, changed, spoiled);
    const ran = await run();
    hosted.hooks.refuse = undefined;
    return ran;
  }
  return { succeeded, again };
}

const garbage = /undefined|NaN|\[object Object\]|This is a bug/;
// It prints whatever JSON the server replies.
const printsAnything = (path: string) => path === "api";

/** Those that may talk to a server. */
const paths = Object.keys(everyCommand).filter((path) => !path.startsWith("serve "));

describe("every command, when a server's reply", () => {
  it.each(paths)("cannot be used or lacks something: %s", async (path) => {
    const { succeeded, again } = await rehearse(path);
    for (const exchange of succeeded) {
      const { method, path: route } = exchange.asked;
      const changed = method !== "GET";
      for (const [name, spoil] of [...Object.entries(unusable), ...Object.entries(partial)]) {
        const { code, stdout, stderr } = await again(exchange, spoil(exchange.answer));
        const about = `${method} ${route} replied with ${name}: ${stderr}`;
        if (!printsAnything(path) || name in partial) expect(stdout + stderr, about).not.toMatch(garbage);
        expect(code, about).toBeLessThan(70);
        if (!changed) continue;
        expect(name in unusable ? [12] : [0, 7, 12], about).toContain(code);
        if (name in unusable) expect(stderr, about).toContain("may or may not have taken effect");
      }
    }
  });
});
