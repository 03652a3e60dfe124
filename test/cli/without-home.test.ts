import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RunOptions, testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
const unlisted = () => {
  throw new Error("uv_os_get_passwd returned ENOENT");
};

/** Runs a command in a folder that holds a build; the folder must hold nothing else afterwards. */
async function ran(words: readonly string[], options: RunOptions) {
  const cwd = testFolder();
  writeFileSync(join(cwd, "game.html"), "<p>Game</p>");
  const ended = await fixture.run(words, { ...options, cwd });
  expect(readdirSync(cwd)).toEqual(["game.html"]);
  return ended;
}

const login = (options: RunOptions) =>
  ran(["auth", "login", "--with-key"], {
    ...options,
    stdin: fixture.owner.key,
    env: { PLAYTEST_API_KEY: "", ...options.env },
  });
const noHome: [string, Record<string, string>][] = [
  ["an empty HOME", { HOME: "" }],
  ["a relative HOME", { HOME: "." }],
  ["relative XDG variables", { HOME: "", XDG_CONFIG_HOME: "config", XDG_CACHE_HOME: "./cache" }],
];

describe.each(noHome)("with %s, and a user who is in no list", (_, variables) => {
  const options = { env: { PLAYTEST_CONFIG_DIR: "", ...variables }, outside: { systemHome: unlisted } };

  it("login keeps no key in the current folder, and says what to set", async () => {
    const { code, stdout, stderr } = await login(options);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: No home folder was found: HOME .*\nSet HOME, or set PLAYTEST_CONFIG_DIR to a folder/);
  });

  it("a key in the environment is enough to push and to read", async () => {
    const pushed = await ran(["games", "push", ".", fixture.gameId, "--json"], options);
    expect([pushed.code, JSON.parse(pushed.stdout).result.skipped]).toEqual([0, false]);
    const again = await ran(["games", "push", ".", fixture.gameId, "--if-changed", "--json"], options);
    expect([again.code, JSON.parse(again.stdout).result.skipped]).toEqual([0, true]);
    expect(await ran(["games", "list", "--json"], options)).toMatchObject({ code: 0 });
  });
});

describe("with a home that cannot be written", () => {
  /** A file, because nothing is kept from root by its mode. */
  const options = () => {
    const home = join(testFolder(), "home");
    writeFileSync(home, "");
    return { env: { PLAYTEST_CONFIG_DIR: "", HOME: home }, outside: { systemHome: () => home } };
  };

  it("login says that nothing was saved, as JSON where asked for, without a stack", async () => {
    const { code, stderr } = await login(options());
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("Nothing was saved. PLAYTEST_CONFIG_DIR names")]);
    expect(code).not.toBe(0);
    expect(stderr).not.toMatch(/bug|\n {4}at /);
  });

  it("push and the other commands go on without a cache", async () => {
    expect(await ran(["games", "push", ".", fixture.gameId, "--json"], options())).toMatchObject({ code: 0 });
    expect(await ran(["games", "list", "--json"], options())).toMatchObject({ code: 0, stderr: "" });
  });
});
