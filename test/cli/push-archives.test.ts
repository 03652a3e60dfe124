import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { programs } from "../helpers/builds.ts";
import { testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { tarOf } from "../helpers/tar.ts";

const fixture = eachOwnerFixture();
const builds = async () => (await fixture.owner.get(`/games/${fixture.gameId}/builds`)).body.data.builds;

function push(name: string, bytes: Buffer, ...flags: string[]) {
  const cwd = testFolder();
  writeFileSync(join(cwd, name), bytes);
  return fixture.run(["games", "push", name, fixture.gameId, ...flags], { cwd });
}

const kinds: [string, (tar: Buffer) => Buffer][] = [
  ["build.tar", (tar) => tar],
  ["build.tar.gz", (tar) => gzipSync(tar)],
  ["Build.TGZ", (tar) => gzipSync(tar)],
];

describe.each(kinds)("%s", (name, pack) => {
  it("is sent as it is when nothing is wrong with it", async () => {
    const parts = {
      "./": {},
      "./game.x86_64": { bytes: programs.elf, mode: 0o755 },
      "./lib/libgame.so.1": programs.elf,
      "./lib/libgame.so": { to: "libgame.so.1" },
      "./again": { same: "./game.x86_64" },
      "./logs/": {},
      "./log": { to: "logs" },
    };
    const { code, stdout, stderr } = await push(name, pack(tarOf(parts)), "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).result).toMatchObject({ skipped: false, madeExecutable: [], nameProblems: [], danglingLinks: [] });
    expect((await builds())[0].sha256).toBe(JSON.parse(stdout).result.sha256);
  });

  it.each([
    [
      "a key",
      { "./a": "a", "./.config/playtest/keys.json": '{"https://example.com":{"default":"x"}}' },
      "The build contains secret keys, so nothing was sent: .config/playtest/keys.json holds stored API keys",
      "Make the archive again without the file.",
      ["--include-secrets"],
    ],
    [
      "a secret",
      { "x/.env": "A=1", "x/server.pem": "-----BEGIN PRIVATE KEY-----\n" },
      "x/.env holds settings that are usually secret; x/server.pem holds a private key",
      "Make the archive again without it, or send it with --include-secrets.",
      [],
    ],
    [
      "a link that leads out",
      { a: "a", "b/c": { to: "../../d" } },
      "Links that lead out of the build would be broken for playtesters, so nothing was sent: b/c → ../../d.",
      "--skip-links works with a folder only.",
      ["--skip-links"],
    ],
    ["a second name of a file outside", { a: "a", "b/c": { same: "../d" } }, "b/c → ../../d", "make the archive again", []],
    ["a path that leads out", { "../a": "a" }, "../a would be unpacked outside its folder", "make the archive again", []],
    ["an absolute path", { "/etc/a": "a" }, "/etc/a would be unpacked outside its folder", "make the archive again", []],
  ])("with %s is refused", async (_, parts, message, hint, flags) => {
    for (const more of [[], ["--preview"]]) {
      const { code, stdout, stderr } = await push(name, pack(tarOf(parts)), ...flags, ...more);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
    }
    expect(await builds()).toHaveLength(1);
  });

  it("with secrets is sent with --include-secrets", async () => {
    expect((await push(name, pack(tarOf({ ".env": "A=1" })), "--include-secrets")).code).toBe(0);
  });

  it("with programs that are not executable is sent with a warning, unless --keep-modes", async () => {
    const tar = pack(tarOf({ "game.x86_64": programs.elf, "run.sh": programs.script, "libgame.so": programs.elf }));
    const { code, stderr } = await push(name, tar);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "warning: These programs are not executable and will not start on Linux and macOS: game.x86_64; run.sh. Make them executable before you pack the archive, or push the folder instead.",
      ),
    ]);
    expect((await push(name, tar, "--keep-modes")).stderr).not.toContain("executable");
  });

  it("with names that Windows cannot hold is a warning, and an error with --strict-names", async () => {
    const tar = pack(tarOf({ "aux.txt": "a", "Data/a": "1", "data/a": "2" }));
    const { code, stdout, stderr } = await push(name, tar, "--json");
    expect([code, stderr.match(/warning/g)]).toEqual([0, ["warning"]]);
    expect(JSON.parse(stdout).result.nameProblems.map(({ path }: { path: string }) => path)).toEqual(["aux.txt", "data/a"]);
    expect((await push(name, tar, "--strict-names")).code).toBe(2);
  });

  it("that is cut off is refused", async () => {
    const whole = pack(tarOf({ a: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31) % 251)) }));
    const { code, stderr } = await push(name, whole.subarray(0, Math.floor(Math.min(whole.length, 5000) / 2)));
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} cannot be unpacked whole, so nothing was sent: `)]);
  });
});

describe("what cannot be looked into", () => {
  it.each(["build.tar.xz", "build.7z", "build.RAR", "build.tar.zst", "build.zip"])(
    "%s is sent, and this is said",
    async (name) => {
      const { code, stderr } = await push(name, Buffer.from("x"));
      const said = stderr.split(`Not checked for keys and secrets: ${name} `).length - 1;
      expect([code, said]).toEqual([0, 1]);
    },
  );

  it("what a system installs is no such archive", async () => {
    expect((await push("game.dmg", Buffer.from("x"))).stderr).toBe("");
  });
});
