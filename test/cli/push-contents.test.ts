import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { builtAt, heldInZip, type Parts, programs, writeParts } from "../helpers/builds.ts";
import { testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";

const fixture = eachOwnerFixture();
const inFolder = (parts: Parts) => writeParts(parts, testFolder());
afterEach(killLeftovers);

const push = (folder: string, ...flags: string[]) =>
  fixture.run(["games", "push", ".", fixture.gameId, ...flags], { cwd: folder });
const builds = async () => (await fixture.owner.get(`/games/${fixture.gameId}/builds`)).body.data.builds;

/** The JSON of a push that succeeds. */
async function pushed(folder: string, ...flags: string[]) {
  const { code, stdout, stderr } = await push(folder, "--json", ...flags);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout).result;
}

/** What the game's build holds, as it is downloaded. */
async function arrived() {
  const [build] = await builds();
  const link = await fixture.owner.get(`/games/${fixture.gameId}/builds/${build.id}/download-url`);
  const reply = await fetch(link.body.data.downloadUrl);
  return heldInZip(new Uint8Array(await reply.arrayBuffer()));
}

/** Nothing was sent, and the error says this, with and without --preview. */
async function refuses(folder: string, message: string | RegExp, ...flags: string[]) {
  for (const more of [[], ["--preview"]]) {
    const { code, stdout, stderr } = await push(folder, ...flags, ...more);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message instanceof RegExp ? message : new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
    expect(stderr).toContain("othing was sent");
  }
  expect(await builds()).toHaveLength(1);
}

describe("links, modes, folders and times", () => {
  const parts: Parts = {
    "lib/libgame.so.1": { bytes: programs.elf, mode: 0o755 },
    "lib/libgame.so": { to: "libgame.so.1" },
    "game.x86_64": programs.elf,
    "run.sh": programs.script,
    logs: {},
    "data/level.bin": "level",
  } as Parts;

  it("arrive as they were, and programs that lost their executable bit get it", async () => {
    const folder = inFolder({ ...parts, "game.x86_64": { bytes: programs.elf }, "run.sh": { bytes: programs.script } });
    const { code, stdout, stderr } = await push(folder, "--json");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "Made executable, because they are programs (--keep-modes leaves them): game.x86_64; run.sh.\n",
    });
    expect(JSON.parse(stdout).result).toMatchObject({
      skipped: false,
      skippedFiles: [],
      madeExecutable: ["game.x86_64", "run.sh"],
      nameProblems: [],
      danglingLinks: [],
    });
    const held = await arrived();
    expect(Object.fromEntries(Object.entries(held).map(([path, { mode }]) => [path, mode]))).toEqual({
      "data/level.bin": "100644",
      "game.x86_64": "100755",
      "lib/libgame.so": "120777",
      "lib/libgame.so.1": "100755",
      "logs/": "40755",
      "run.sh": "100755",
    });
    expect(held["lib/libgame.so"]?.holds).toBe("libgame.so.1");
    expect(held["data/level.bin"]?.time).toBe(builtAt.getTime() / 1000);
  });

  it("--keep-modes leaves modes as they are", async () => {
    const folder = inFolder({ "game.x86_64": { bytes: programs.elf } });
    expect((await pushed(folder, "--keep-modes")).madeExecutable).toEqual([]);
    expect((await arrived())["game.x86_64"]?.mode).toBe("100644");
  });

  it("are part of the hash of the contents, times are not; SOURCE_DATE_EPOCH gives all files one time", async () => {
    const first = inFolder({ a: { bytes: "a" }, b: { bytes: "b" }, link: { to: "a" } });
    const { contentSha256, sha256 } = await pushed(first);
    const variants: Parts[] = [
      { a: { bytes: "a" }, b: { bytes: "b" }, link: { to: "b" } },
      { a: { bytes: "a" }, b: { bytes: "b" }, link: { bytes: "a" } },
      { a: { bytes: "a" }, b: { bytes: "b" } },
      { a: { bytes: "a", mode: 0o755 }, b: { bytes: "b" }, link: { to: "a" } },
      { a: { bytes: "a" }, b: { bytes: "b" }, link: { to: "a" }, empty: {} },
    ];
    for (const variant of variants) expect((await pushed(inFolder(variant))).contentSha256).not.toBe(contentSha256);
    const env = { SOURCE_DATE_EPOCH: "1700000000" };
    const run = (folder: string) => fixture.run(["games", "push", ".", fixture.gameId, "--json"], { cwd: folder, env });
    const later = testFolder();
    for (const name of ["a", "b"]) writeFileSync(join(later, name), name);
    symlinkSync("a", join(later, "link"));
    const [one, other] = [JSON.parse((await run(first)).stdout).result, JSON.parse((await run(later)).stdout).result];
    expect(one).toMatchObject({ contentSha256, sha256: other.sha256 });
    expect(one.sha256).not.toBe(sha256);
    expect((await arrived()).a?.time).toBe(1_700_000_000);
    const wrong = await fixture.run(["games", "push", ".", fixture.gameId], { cwd: first, env: { SOURCE_DATE_EPOCH: "today" } });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("SOURCE_DATE_EPOCH is not a number of seconds.")]);
  });

  it("--preview shows a file that became executable, and a link in the place of a file", async () => {
    await pushed(inFolder({ a: { bytes: "same" }, b: { bytes: "a" }, c: { bytes: "c" } }));
    const { stdout } = await push(
      inFolder({ a: { bytes: "same", mode: 0o755 }, b: { to: "a" }, c: { bytes: "c" } }),
      "--preview",
    );
    expect(stdout).toBe("changed\ta\t4 B\nchanged\tb\t1 B\n");
  });

  it("--preview shows empty folders that were added and removed, and as JSON also what was found", async () => {
    await pushed(inFolder({ a: { bytes: "a" }, logs: {}, "full/b": { bytes: "b" } }));
    const folder = inFolder({ a: { bytes: "a" }, saves: {}, full: {}, run: { bytes: programs.script }, gone: { to: "none" } });
    writeParts({ "Thumbs.db": "x", "aux.txt": "x" }, folder);
    const { code, stdout } = await push(folder, "--preview", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        result: [
          { change: "added", path: "aux.txt", size: 1 },
          { change: "added", path: "full/", size: 0 },
          { change: "removed", path: "full/b", size: null },
          { change: "added", path: "gone", size: 4 },
          { change: "removed", path: "logs/", size: null },
          { change: "added", path: "run", size: 22 },
          { change: "added", path: "saves/", size: 0 },
        ],
        skippedFiles: [{ path: "Thumbs.db", reason: "default" }],
        madeExecutable: ["run"],
        nameProblems: [{ path: "aux.txt", problem: "has a name that Windows reserves for a device" }],
        danglingLinks: ["gone"],
      },
    ]);
  });

  it("links that lead out are refused, or left out with --skip-links; those to nothing are named", async () => {
    const folder = inFolder({
      a: { bytes: "a" },
      good: { to: "a" },
      up: { to: "../secrets" },
      abs: { to: "/etc/passwd" },
      gone: { to: "b" },
    });
    await refuses(
      folder,
      "Links that lead out of the build would be broken for playtesters, so nothing was sent: abs → /etc/passwd; up → ../secrets.",
    );
    const { skippedFiles, danglingLinks } = await pushed(folder, "--skip-links");
    expect({ skippedFiles, danglingLinks }).toEqual({
      skippedFiles: [
        { path: "abs", reason: "link" },
        { path: "up", reason: "link" },
      ],
      danglingLinks: ["gone"],
    });
    expect(Object.keys(await arrived())).toEqual(["a", "gone", "good"]);
  });

  it("FIFOs and sockets are left out and named", async () => {
    const folder = inFolder({ a: { bytes: "a" } });
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
    const { stdout, stderr } = await push(folder, "--json");
    await new Promise((resolve) => server.close(resolve));
    expect(stderr).toBe("Left out, because they are neither files nor folders nor links: pipe; socket.\n");
    expect(JSON.parse(stdout).result.skippedFiles).toEqual([
      { path: "pipe", reason: "special" },
      { path: "socket", reason: "special" },
    ]);
  });
});

describe("what is left out", () => {
  it.each([
    ["UTF-8 with a mark", (text: string) => Buffer.from(`\ufeff${text}`)],
    ["UTF-16LE", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16BE", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
    ["CRLF", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
  ])(".playtestignore in %s", async (_, encode) => {
    const folder = inFolder({ "secret.txt": "x", "Debug/a": "x", "a.pyc": "x", "#x": "x", kept: "x" });
    writeFileSync(join(folder, ".playtestignore"), encode("secret.txt\n[Dd]ebug/\n*.py[co]\n\\#x\n"));
    await pushed(folder);
    expect(Object.keys(await arrived())).toEqual(["kept"]);
  });

  it("a .playtestignore that cannot be understood is refused", async () => {
    const folder = inFolder({ a: "a" });
    writeFileSync(join(folder, ".playtestignore"), Buffer.from("caf\xe9.txt\n", "latin1"));
    await refuses(folder, "is not UTF-8 text.");
    const another = inFolder({ a: "a", ".playtestignore": {} });
    await refuses(another, ".playtestignore cannot be read: ");
  });

  it("what no playtester needs is left out, in any case, unless --no-default-ignores or the list says otherwise", async () => {
    const junk = ["thumbs.db", "Thumbs.DB", "desktop.ini", "sub/.DS_Store", "sub/._a", "__MACOSX/x", ".svn/x", ".hg/x"];
    const folder = inFolder({ ...Object.fromEntries(junk.map((path) => [path, "x"])), a: "a" });
    const { stderr, stdout } = await push(folder, "--json");
    expect(stderr).toMatch(
      /^Left out, because no playtester needs them \(--no-default-ignores sends them\): \.hg\/; \.svn\/; Thumbs\.DB; __MACOSX\/; /,
    );
    expect(JSON.parse(stdout).result.skippedFiles).toContainEqual({ path: "sub/._a", reason: "default" });
    expect(Object.keys(await arrived())).toEqual(["a", "sub/"]);
    expect((await pushed(folder, "--no-default-ignores")).skippedFiles).toEqual([]);
    expect(Object.keys(await arrived()).sort()).toEqual([...junk, "a"].sort());
    writeFileSync(join(folder, ".playtestignore"), "!thumbs.db\n");
    await pushed(folder);
    expect(Object.keys(await arrived())).toEqual(["a", "sub/", "thumbs.db"]);
  });
});

describe("names", () => {
  it.each([
    [
      "not UTF-8",
      Buffer.from("caf\xe9.txt", "latin1"),
      "The build cannot be packed, so nothing was sent: caf\\xe9.txt has a name that is not UTF-8.",
    ],
    ["with a backslash", Buffer.from("a\\b.txt"), "a\\b.txt has a backslash in its name"],
    ["like a drive", Buffer.from("C:\\x"), "C:\\x has a backslash in its name"],
    ["with a drive", Buffer.from("c:x"), "c:x begins with a drive letter"],
  ])("%s are refused", async (_, name, message) => {
    const folder = inFolder({ a: "a" });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), "x");
    await refuses(folder, message);
    const inside = inFolder({ a: "a" });
    mkdirSync(Buffer.concat([Buffer.from(`${inside}/`), name]));
    await refuses(inside, message);
  });

  it("that are not unpacked everywhere are one warning, and an error with --strict-names", async () => {
    const folder = inFolder({ "Data/Level.bin": "1", "data/level.bin": "2", "aux.txt": "x", "x?.png": "x", "trail. ": "x" });
    const { code, stdout, stderr } = await push(folder, "--json");
    expect([code, stderr.match(/warning/g)]).toEqual([0, ["warning"]]);
    expect(stderr).toContain("data/level.bin has the same name as Data/Level.bin on Windows and macOS");
    const problems: { path: string }[] = JSON.parse(stdout).result.nameProblems;
    expect(problems.map(({ path }) => path)).toEqual(["aux.txt", "data/level.bin", "trail. ", "x?.png"]);
    const strict = await push(folder, "--strict-names");
    expect([strict.code, strict.stderr]).toEqual([
      2,
      expect.stringContaining("aux.txt has a name that Windows reserves for a device"),
    ]);
  });
});

describe("secrets", () => {
  it("keys of this service are never sent", async () => {
    const folder = testFolder();
    const login = await fixture.run(["login", "--with-key"], {
      cwd: folder,
      stdin: fixture.owner.key,
      env: { PLAYTEST_CONFIG_DIR: join(folder, ".config/playtest") },
    });
    expect(login.code).toBe(0);
    writeFileSync(join(folder, "a"), "a");
    await refuses(
      folder,
      /The build contains secret keys, so nothing was sent: \.config\/playtest\/keys\.json /,
      "--include-secrets",
    );
  });

  it("keys are found wherever they are in a file", async () => {
    await refuses(
      inFolder({ a: "a", "deep.log": "x".repeat(2 ** 20 - 10) + fixture.owner.key }),
      "so nothing was sent: deep.log holds an API key of this service.",
      "--include-secrets",
    );
    const folder = inFolder({ "deep.log": "x".repeat(100_000) + fixture.owner.key });
    const alone = await fixture.run(["games", "push", "deep.log", fixture.gameId], { cwd: folder });
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("deep.log holds an API key of this service")]);
  });

  it("whatever is in the folder of the settings is one of them", async () => {
    const folder = inFolder({ a: "a", "settings/config.json": "{}" });
    const env = { PLAYTEST_CONFIG_DIR: join(folder, "settings") };
    const { code, stderr } = await fixture.run(["games", "push", ".", fixture.gameId], { cwd: folder, env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("settings/config.json is in the folder of this command's settings"),
    ]);
  });

  it("what looks secret is sent only with --include-secrets", async () => {
    const folder = inFolder({ a: "a", ".env": "A=1", "tls/server.pem": "-----BEGIN PRIVATE KEY-----\n" });
    await refuses(folder, ".env holds settings that are usually secret; tls/server.pem holds a private key");
    await pushed(folder, "--include-secrets");
    expect(Object.keys(await arrived())).toEqual([".env", "a", "tls/server.pem"]);
    const alone = await fixture.run(["games", "push", ".env", fixture.gameId], { cwd: folder });
    expect(alone.code).toBe(2);
  });
});

describe("an archive", () => {
  /** A zip archive as Windows makes it, without modes; `unix`: with them. */
  async function archive(parts: Record<string, Buffer | string>, unix: Record<string, number> = {}, name = "artifact.zip") {
    const zip = new ZipWriter(new Uint8ArrayWriter());
    for (const [path, bytes] of Object.entries(parts))
      await zip.add(
        path,
        new Uint8ArrayReader(Buffer.from(bytes)),
        unix[path] ? { unixMode: unix[path] } : { versionMadeBy: 20, msDosCompatible: true },
      );
    const folder = testFolder();
    writeFileSync(join(folder, name), await zip.close());
    return {
      folder,
      push: (...flags: string[]) => fixture.run(["games", "push", name, fixture.gameId, ...flags], { cwd: folder }),
    };
  }

  it("without modes gets those of its programs, unless --keep-modes", async () => {
    const made = await archive({ "game.x86_64": programs.elf, "data/level": "1", "tool.sh": programs.script });
    const { code, stdout, stderr } = await made.push("--json");
    expect([code, stderr]).toEqual([0, expect.stringContaining("Made executable, because they are programs")]);
    const { madeExecutable, sha256 } = JSON.parse(stdout).result;
    expect(madeExecutable).toEqual(["game.x86_64", "tool.sh"]);
    const modes = Object.entries(await arrived()).map(([path, { mode }]) => [path, mode]);
    expect(modes).toEqual([
      ["game.x86_64", "100755"],
      ["data/level", "100644"],
      ["tool.sh", "100755"],
    ]);
    expect(JSON.parse((await made.push("--json", "--if-changed")).stdout).result).toMatchObject({ skipped: true, sha256 });
    expect((await made.push("--keep-modes")).code).toBe(0);
    expect((await builds())[0].sha256).not.toBe(sha256);
  });

  it("with another ending is a package of its own and stays as it is", async () => {
    const made = await archive({ "lib/arm64/libgame.so": programs.elf }, {}, "game.apk");
    expect(JSON.parse((await made.push("--json")).stdout).result.madeExecutable).toEqual([]);
  });

  it("keeps the other bits of a mode", async () => {
    await (await archive({ a: programs.elf, b: "b" }, { a: 0o100640, b: 0o100600 })).push();
    expect(Object.values(await arrived()).map(({ mode }) => mode)).toEqual(["100751", "100600"]);
  });

  it("of Python, whose modes do not say that they are of a file, as 7-Zip needs it, gets modes for its programs", async () => {
    const made = await archive({ a: programs.elf, b: programs.elf, c: "c" });
    const script = [
      "import sys, zipfile",
      "z = zipfile.ZipFile(sys.argv[1], 'w')",
      "for name, mode in ('a', 0o600), ('b', 0o755), ('c', 0o600):",
      "    info = zipfile.ZipInfo(name)",
      "    info.external_attr = mode << 16",
      "    z.writestr(info, bytes.fromhex(sys.argv[2]) if name < 'c' else b'c')",
      "z.close()",
    ];
    execFileSync("python3", ["-c", script.join("\n"), join(made.folder, "artifact.zip"), programs.elf.toString("hex")]);
    expect((await made.push()).code).toBe(0);
    expect(Object.values(await arrived()).map(({ mode }) => mode)).toEqual(["100711", "100755", "600"]);
  });

  it.each([
    [
      "a key",
      { "config/keys.json": '{"https://example.com":{"default":"x"}}' },
      {},
      "The build contains secret keys, so nothing was sent: config/keys.json",
    ],
    ["a secret", { ".env": "A=1" }, {}, ".env holds settings that are usually secret"],
    ["a link that leads out", { "a/b": "../../c" }, { "a/b": 0o120777 }, "a/b → ../../c"],
    ["a path that leads out", { "../a": "a" }, {}, "../a would be unpacked outside its folder"],
  ])("with %s is refused", async (_, parts, unix, message) => {
    const { code, stderr } = await (await archive(parts as Record<string, string>, unix)).push();
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await builds()).toHaveLength(1);
  });
});

describe("the folder of temporary files", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it("that is not there is named, and how to choose another", async () => {
    vi.stubEnv("TMPDIR", "/nonexistent");
    const { code, stderr } = await push(inFolder({ a: "a" }));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: Cannot write \/nonexistent: its directory does not exist\.\nSet TMPDIR/),
    ]);
  });

  it("in which a build finds no room is named with the space that it takes", async () => {
    const folder = testFolder();
    const build = inFolder({
      "big.bin": { bytes: Buffer.from(Array.from({ length: 400_000 }, (_, i) => ((i * i) % 251) ^ (i >> 7))) },
    });
    const env = { PLAYTEST_BASE_URL: fixture.server.baseUrl, PLAYTEST_API_KEY: fixture.owner.key, TMPDIR: folder };
    const { code, stderr } = await spawnPlaytest(folder, ["games", "push", build, fixture.gameId], env, "-f 8").ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `Cannot pack the build in ${folder}: the file would be larger than this process may write. Up to 390.6 KiB are needed there. Nothing was sent.`,
      ),
    ]);
  });
});
