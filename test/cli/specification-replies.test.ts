import { afterEach, describe, expect, it } from "vitest";
import { runSpecification, specificationCommands, startWorld, stopWorlds } from "../helpers/specification-server/commands.ts";
import type { Reply } from "../helpers/specification-server/http.ts";
import { partial, unusable } from "../helpers/specification-server/spoil.ts";

/** Every command, with each reply that it gets replaced by one that is wrong. */

afterEach(stopWorlds);

const garbage = /undefined|NaN|\[object Object\]|This is a bug/;

interface Got {
  method: string;
  path: string;
  /** Whether the request changed something. */
  changed: boolean;
}

/** Runs the command with its successful reply number `index` spoiled. */
async function withSpoiled(path: string, index: number, spoil: ((reply: Reply) => Partial<Reply>) | undefined) {
  const world = await startWorld();
  const got: Got[] = [];
  world.server.hooks.interfere = ({ method, path: route }, reply) => {
    const { status = 200 } = reply;
    if (status >= 300) return undefined;
    got.push({ method, path: route, changed: method !== "GET" });
    return got.length === index + 1 && spoil ? { status, ...spoil(reply) } : undefined;
  };
  const ran = await runSpecification(world, path);
  await stopWorlds();
  return { ...ran, got };
}

const paths = Object.keys(specificationCommands);
// It prints whatever JSON the server replies.
const printsAnything = (path: string) => path === "api";

describe("replies that cannot be used", () => {
  it.each(paths)("%s", async (path) => {
    const { got } = await withSpoiled(path, -1, undefined);
    for (const [index, { changed, ...request }] of got.entries())
      for (const [name, spoil] of Object.entries(unusable)) {
        const { code, stdout, stderr } = await withSpoiled(path, index, spoil);
        const about = `${request.method} ${request.path} replied with ${name}`;
        if (!printsAnything(path)) expect(stdout + stderr, about).not.toMatch(garbage);
        expect(code, `${about}: ${stderr}`).toBeLessThan(70);
        if (changed) expect([code, stderr], about).toEqual([12, expect.stringContaining("may or may not have taken effect")]);
      }
  });
});

describe("replies that lack something", () => {
  it.each(paths)("%s", async (path) => {
    const { got } = await withSpoiled(path, -1, undefined);
    for (const [index, { changed, ...request }] of got.entries())
      for (const [name, spoil] of Object.entries(partial)) {
        const { code, stdout, stderr } = await withSpoiled(path, index, spoil);
        const about = `${request.method} ${request.path} replied with ${name}`;
        expect(stdout + stderr, about).not.toMatch(garbage);
        expect(code, `${about}: ${stderr}`).toBeLessThan(70);
        if (changed) expect([0, 7, 12], `${about}: ${stderr}`).toContain(code);
      }
  });
});
