import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  type FSWatcher,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allSettings } from "../../server/config/schema.ts";
import { openStore } from "../../server/database/open.ts";
import { backup as makeBackup } from "../../server/operations/archive/backup.ts";
import { programSettings } from "../../server/operations/archive/programs.ts";
import { stagingIn, swapIn } from "../../server/operations/archive/swap.ts";
import { playtest } from "../helpers/cli.ts";
import { startProcess } from "../helpers/cluster.ts";
import { buildId, dataDirFixture, withBuild } from "../helpers/data-dir-fixture.ts";
import { order, personWith, play, registerPlaytester } from "../helpers/factories.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { Database } from "../helpers/sqlite.ts";
import { freshFolder } from "../helpers/store.ts";

// Each test starts processes, which on a busy machine take their time.
afterAll(killLeftovers);

let runs = 0;
const serving = (dataDir: string, ...flags: string[]) => startProcess(dataDir, undefined, flags);

const serve = (...argv: string[]) => spawnPlaytest(freshFolder(), ["serve", ...argv]).ended;

/** What is in a folder, below it too, with what it says; without the lock, which any look at a place may leave. */
const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !/\.(lock(-journal)?|pid)$/.test(name) && statSync(join(folder, name)).isFile())
    .sort()
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`,
    );

describe("a backup of a server under load", () => {
  let dataDir: string;
  let server: Awaited<ReturnType<typeof serving>>;
  beforeAll(async () => {
    dataDir = freshFolder();
    server = await serving(dataDir, "--seed", "minimal");
  });

  it("has everything that was answered before it began, and serves it elsewhere with the same keys", async () => {
    const { ownerKey, gameId } = server as { ownerKey: string; gameId: string };
    const owner = personWith(server.node, ownerKey, "");
    const worker = await registerPlaytester(server.node);
    const played = await play(server.node, worker, await order(owner, gameId, { quantity: 1 }));
    const answered: string[] = [];
    let going = true;
    const client = async (number: number) => {
      for (let turn = 0; going; turn++) {
        // An account can have 1,000 games, and a backup may take longer than these.
        const isNew = answered.length < 900;
        const body = { name: `Game ${number}-${turn}`, buildUrl: "https://example.com/a.zip" };
        const reply = await (isNew ? owner.post("/games", body) : owner.patch(`/games/${gameId}`, body));
        if (reply.status !== (isNew ? 201 : 200)) throw new Error(reply.text);
        if (isNew) answered.push(reply.body.data.game.id);
      }
    };
    const clients = Array.from({ length: 8 }, (_, number) => client(number));
    while (answered.length < 100) await owner.get("/billing/balance");
    const before = [...answered];
    const file = join(freshFolder(), "copy.tar");
    const { code, stdout, stderr } = await serve("backup", file, "--data", dataDir);
    going = false;
    await Promise.all(clients);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^Database: SQLite .*\nData directory: .*\nWrote and verified .*copy\.tar: \d+ files, .*\.\nIt contains the instance key/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const elsewhere = join(freshFolder(), "new");
    expect(await serve("restore", file, "--data", elsewhere, "--yes")).toMatchObject({ code: 0, stderr: "" });
    const second = await serving(elsewhere);
    const there = personWith(second.node, ownerKey, "");
    const missing = await Promise.all(before.map(async (id) => ((await there.get(`/games/${id}`)).status === 200 ? [] : [id])));
    expect(missing.flat()).toEqual([]);
    const { downloadUrl } = (await there.get(`/playtests/slots/${played}/download-url`)).body.data;
    expect((await (await fetch(downloadUrl)).arrayBuffer()).byteLength).toBe(4096);
    const checked = await serve("doctor", "--ledger", "--data", elsewhere);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    await second.stop();
  });

  it("is not put in the place of a server that runs", async () => {
    const file = join(freshFolder(), "copy.tar");
    await playtest(["serve", "backup", file, "--data", dataDir]);
    const { code, stderr } = await playtest(["serve", "restore", file, "--data", dataDir, "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: ${dataDir}/playtest.db is in use by another playtest server (process ${server.pid}). Nothing was changed. Stop that process, or choose another folder with --data.\n`,
    );
    expect((await server.node.request("GET", "/info/server")).status).toBe(200);
  });
});

const moved = (watcher: FSWatcher, child: ChildProcess) => Promise.race([once(watcher, "change"), once(child, "exit")]);

describe("a backup that is cut off", () => {
  it.each(["SIGKILL", "SIGINT"] as const)("by %s leaves nothing under the name, and an older one as it was", async (signal) => {
    const dataDir = await withBuild(64 * 1024 * 1024);
    const folder = freshFolder();
    const file = join(folder, "copy.tar");
    writeFileSync(file, "older");
    const watcher = watch(folder);
    const { child, ended } = spawnPlaytest(folder, ["serve", "backup", file, "--data", dataDir, "--force"]);
    while (child.exitCode === null && !existsSync(join(folder, ".copy.tar.part"))) await moved(watcher, child);
    child.kill(signal);
    const { code } = await ended;
    watcher.close();
    expect({ code, text: readFileSync(file, "utf8") }).toEqual({ code: signal === "SIGINT" ? 130 : null, text: "older" });
    if (signal === "SIGINT") expect(readdirSync(folder)).toEqual(["copy.tar"]);
    truncateSync(join(dataDir, "blobs/builds", readdirSync(join(dataDir, "blobs/builds"))[0]!), 1000);
    expect(await serve("backup", file, "--data", dataDir, "--force")).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(["copy.tar"]);
  });
});

it("a backup looks once more when a file goes while it is at work", async () => {
  const dataDir = await withBuild(100);
  const other = new Database(join(dataDir, "playtest.db"));
  const [short, last] = ["002", "003"].map((end) => `builds/${buildId.slice(0, -3)}${end}`) as [string, string];
  const happen = new Map([
    // Comes after the files were listed, and goes when the database has been copied, which another takes the place of.
    ["Copying", () => change(short)],
    ["Copying the database", () => change(last, short)],
  ]);
  const change = (blob: string, old = "") => {
    other.prepare("UPDATE builds SET blob_key = ?").run(blob);
    writeFileSync(join(dataDir, "blobs", blob), blob);
    if (old) rmSync(join(dataDir, "blobs", old));
  };
  const target = join(freshFolder(), "copy.tar");
  const onProgress = (step: string) => {
    happen.get(step)?.();
    happen.delete(step);
  };
  const options = {
    data: dataDir,
    env: {},
    target,
    portable: false,
    force: false,
    dryRun: false,
    version: "1",
    now: 0,
    onProgress,
  };
  expect(await makeBackup(options)).toMatchObject({ missing: [] });
  other.close();
  const there = join(freshFolder(), "there");
  expect(await playtest(["serve", "restore", target, "--data", there, "--yes"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(there, "blobs", last), "utf8")).toBe(last);
});

describe("serve backup refuses", () => {
  it.each([
    [
      "a file that is there",
      (folder: string) => [join(folder, "old.tar")],
      6,
      "already exists and was not changed. Pass --force to replace it.",
    ],
    ["a folder that is not there", (folder: string) => [join(folder, "no/copy.tar")], 2, "no does not exist"],
    [
      "--keep without a folder",
      (folder: string) => [join(folder, "old.tar"), "--keep", "2"],
      2,
      "--keep can only be used with a folder, and",
    ],
    [
      "a folder without a server",
      (folder: string) => [join(folder, "copy.tar"), "--data", folder],
      2,
      "is not the data directory of a server",
    ],
  ])("%s", async (_, words, exit, message) => {
    const folder = freshFolder();
    writeFileSync(join(folder, "old.tar"), "old");
    const { code, stderr } = await playtest(["serve", "backup", "--data", dataDirFixture(), ...words(folder)]);
    expect(code).toBe(exit);
    expect(stderr).toContain(message);
    expect(readdirSync(folder)).toEqual(["old.tar"]);
  });

  it("a database that is damaged, and keeps no copy of it", async () => {
    const dataDir = dataDirFixture();
    const store = await openStore({ dataDir });
    await store.write((tx) => insertRow(tx, "ledger_accounts", { id: "usd:balance:a", asset: "USD", balance: 5 }));
    await store.close();
    const folder = freshFolder();
    const { code, stderr } = await playtest(["serve", "backup", folder, "--data", dataDir]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The database failed its checks \(ledger_2\w+: .*No backup was kept\. Run .*doctor --ledger/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a database that is newer than the program, of which it would know only a part", async () => {
    const dataDir = dataDirFixture();
    const store = await openStore({ dataDir });
    await store.write((tx) => insertRow(tx, "schema_migrations", { position: 999, name: "999-later", checksum: "" }));
    await store.close();
    const folder = freshFolder();
    for (const verb of ["backup", "export"]) {
      const { code, stderr } = await playtest(["serve", verb, folder, "--data", dataDir]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining("newer than this program: it has migration 999-later"),
      });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("nothing where a file is lost: it says so with 11, and the copy can be restored", async () => {
    const dataDir = await withBuild(10);
    rmSync(join(dataDir, "blobs"), { recursive: true });
    const file = join(freshFolder(), "copy.tar");
    const { code, stderr } = await playtest(["serve", "backup", file, "--data", dataDir]);
    expect(code).toBe(11);
    expect(stderr).toContain("1 file in the database is missing on the server.");
    const found = await playtest(["serve", "doctor", "--data", dataDir]);
    expect({ code: found.code, line: /^uploads.*/m.exec(found.stdout)?.[0] }).toEqual({
      code: 1,
      line: `uploads\tfailed\tmissing in ${dataDir}/blobs: builds/${buildId}`,
    });
    expect(found.stderr).toContain(`Copy these files from a backup: \`cp BACKUP/blobs/… ${dataDir}/blobs/…\`,`);
    const restored = await playtest(["serve", "restore", file, "--data", join(freshFolder(), "new"), "--yes"]);
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Already missing on the original server: blobs/builds/"),
    });
  });
});

describe("serve restore", () => {
  const archiveOf = async (dataDir: string) => {
    const file = join(freshFolder(), `copy-${++runs}.tar`);
    expect(await playtest(["serve", "backup", file, "--data", dataDir])).toMatchObject({ code: 0 });
    return file;
  };
  const restore = (file: string, dataDir: string, ...more: string[]) =>
    playtest(["serve", "restore", file, "--data", dataDir, ...more], { now: Date.parse("2026-03-01T12:00:00Z") });

  it("asks, and does nothing unless the answer is yes", async () => {
    const [file, dataDir] = [await archiveOf(await withBuild(100)), dataDirFixture()];
    const before = contents(dataDir);
    const { code, stderr } = await restore(file, dataDir);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: Replace ${dataDir} with ${file}? Cannot prompt without a terminal. Nothing was changed.\nPass --yes to confirm.\n`,
    });
    expect(contents(dataDir)).toEqual(before);
  });

  describe("of an archive whose settings run a program", () => {
    const command = ["/tmp/evil.sh", "{video}"];
    const withProgram = async () => {
      const from = dataDirFixture();
      writeFileSync(join(from, "config.json"), JSON.stringify({ transcriber: { command } }));
      return archiveOf(from);
    };

    it.each(["restore", "import"])("%s refuses it without a confirmation of its own, and changes nothing", async (verb) => {
      const file = await withProgram();
      const dataDir = verb === "restore" ? dataDirFixture() : join(freshFolder(), "new");
      const before = verb === "restore" ? contents(dataDir) : undefined;
      const argv = ["serve", verb, file, "--data", dataDir, "--yes"];
      const { code, stderr } = await playtest(argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining('programs: transcriber.command ["/tmp/evil.sh","{video}"]')]);
      expect(stderr).toContain("pass --allow-programs");
      expect(before ? contents(dataDir) : existsSync(dataDir)).toEqual(before ?? false);
      const looked = await playtest([...argv, "--dry-run"]);
      expect([looked.code, looked.stderr]).toEqual([0, expect.stringContaining("Restoring it takes --allow-programs.")]);
      expect((await playtest([...argv, "--allow-programs"])).code).toBe(0);
      expect(JSON.parse(readFileSync(join(dataDir, "config.json"), "utf8")).transcriber.command).toEqual(command);
    });

    it("asks nothing where the server has the same setting", async () => {
      const [file, dataDir] = [await withProgram(), dataDirFixture()];
      writeFileSync(join(dataDir, "config.json"), JSON.stringify({ transcriber: { command } }));
      expect(await restore(file, dataDir, "--yes")).toMatchObject({ code: 0, stderr: "" });
    });

    it("knows every setting that names a program", () => {
      const named = allSettings()
        .filter(({ name }) => /command|program|exec|script(?!ion)|ffmpeg/i.test(name))
        .map(({ name }) => name);
      expect(named).toEqual(programSettings);
    });
  });

  it.each(["--yes", "--dry-run"])("names the settings that the archive changes, without their values, with %s", async (flag) => {
    const [from, dataDir] = [dataDirFixture(), dataDirFixture()];
    const [kept, smtpUrl] = [{ payouts: { holdDays: 3 } }, "smtp://evil.example"];
    writeFileSync(
      join(from, "config.json"),
      JSON.stringify({ ...kept, mail: { smtpUrl }, webhooks: { allowPrivate: ["10.0.0.0/8"] } }),
    );
    writeFileSync(join(dataDir, "config.json"), JSON.stringify({ ...kept, admin: { requireSecondFactor: true } }));
    const { code, stderr } = await restore(await archiveOf(from), dataDir, flag);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(": admin.requireSecondFactor, mail.smtpUrl, webhooks.allowPrivate."),
    ]);
    expect(stderr).not.toMatch(/evil|holdDays/);
  });

  it("keeps what was there, and says where", async () => {
    const [from, dataDir] = [await withBuild(100), dataDirFixture()];
    const file = await archiveOf(from);
    const old = contents(dataDir);
    const { code, stdout } = await restore(file, dataDir, "--yes");
    const away = join(dataDir, "replaced-20260301T120000Z");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(`The previous data is in ${away}. Remove it when everything works.\n`),
    });
    expect(contents(away)).toEqual(old);
    // SQLite counts its copies within the file; what is in it was checked.
    const uploaded = (folder: string) => contents(folder).filter((line) => /^(blobs|instance)/.test(line));
    expect(uploaded(dataDir)).toEqual(uploaded(from));
    expect(await playtest(["serve", "doctor", "--ledger", "--data", dataDir])).toMatchObject({ code: 0 });
  });

  it("gives what it restores to whoever owns the folder, when root does it", async () => {
    const file = await archiveOf(await withBuild(100));
    const dataDir = freshFolder();
    const root = process.getuid!() === 0;
    const owner = root ? 12_345 : process.getuid!();
    chownSync(dataDir, owner, statSync(dataDir).gid);
    expect(await restore(file, dataDir, "--yes")).toMatchObject({ code: 0 });
    const all = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
    expect(all).toContain("playtest.db.lock");
    expect(all.filter((name) => statSync(join(dataDir, name)).uid !== owner)).toEqual([]);
  });

  it("only looks with --dry-run", async () => {
    const [file, dataDir] = [await archiveOf(dataDirFixture()), join(freshFolder(), "none")];
    const { code, stdout } = await restore(file, dataDir, "--dry-run");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/ is valid: 3 files, .*\. Nothing was changed\.\n$/),
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  const patched = (file: string, at: number, text: string | Buffer) => {
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.from(text), 0, undefined, at);
    return handle;
  };
  /** Where the header of a file is, by its name. */
  const headerAt = (file: string, name: string) => readFileSync(file).indexOf(`${name}\0`);
  /** Writes into a header and sets its sum right again, as whoever means harm would. */
  const forge = (file: string, name: string, at: number, text: string) => {
    const bytes = readFileSync(file);
    const header = bytes.subarray(headerAt(file, name)).subarray(0, 512);
    header.write(text, at, "latin1");
    header.fill(" ", 148, 156);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
      "latin1",
    );
    writeFileSync(file, bytes);
  };
  const blob = `blobs/builds/${buildId}`;
  const replaceBy = (file: string, target: string) => {
    rmSync(file);
    symlinkSync(target, file);
  };
  const patchManifest = (file: string, before: string, after: string) => {
    const at = readFileSync(file).indexOf(before, headerAt(file, "manifest.json"));
    patched(file, at, after);
  };

  it.each<[string, (file: string) => void, RegExp]>([
    [
      "cut short",
      (file) => truncateSync(file, statSync(file).size - 2000),
      /ends (too early|within \S+): it was not written or copied completely/,
    ],
    ["without its end", (file) => truncateSync(file, statSync(file).size - 1024), /ends too early/],
    ["cut within a file", (file) => truncateSync(file, headerAt(file, blob) + 600), /ends within blobs\/builds/],
    ["empty", (file) => truncateSync(file, 0), /ends too early/],
    ["not an archive", (file) => writeFileSync(file, "x".repeat(2000)), /is not a file of a playtest archive/],
    [
      "with a flipped byte in an upload",
      (file) => patched(file, headerAt(file, blob) + 520, "!"),
      /blobs\/builds\/\S+ does not match its checksum/,
    ],
    [
      "with a flipped byte in the database",
      (file) => patched(file, headerAt(file, "playtest.db") + 9000, "!"),
      /playtest\.db does not match its checksum/,
    ],
    [
      "with a flipped byte in a header",
      (file) => patched(file, headerAt(file, blob) + 3, "X"),
      /is not a file of a playtest archive/,
    ],
    [
      "with a path that leads out",
      (file) => forge(file, blob, 0, `../../../etc/passwd\0`),
      /"\.\.\/\.\.\/\.\.\/etc\/passwd" is not a file of a playtest archive/,
    ],
    ["with an absolute path", (file) => forge(file, blob, 0, "/etc/passwd\0"), /"\/etc\/passwd" is not a file/],
    ["with a symbolic link", (file) => forge(file, blob, 156, "2"), /is not a file of a playtest archive/],
    ["with a hard link", (file) => forge(file, blob, 156, "1"), /is not a file of a playtest archive/],
    ["with a device", (file) => forge(file, blob, 156, "3"), /is not a file of a playtest archive/],
    ["with a pipe", (file) => forge(file, blob, 156, "6"), /is not a file of a playtest archive/],
    ["that is a device itself", (file) => replaceBy(file, "/dev/zero"), /has no SHA256SUMS/],
    [
      "in a later format",
      (file) => patchManifest(file, '"version": 1,', '"version": 2,'),
      /created by a newer version of playtest/,
    ],
    [
      "with a database of another program",
      (file) => patchManifest(file, '"001-initial"', '"901-initial"'),
      /Migration 901-initial of the database differs/,
    ],
    ["with a file twice", (file) => forge(file, blob, 0, "instance.key\0"), /"instance\.key" is not a file .* or is in it twice/],
    [
      "with a file nobody vouches for",
      (file) => forge(file, blob, 13, "119a"),
      /119a\S+ is missing from the archive or from its SHA256SUMS|019a\S+ is missing/,
    ],
    ["with an absurd size", (file) => forge(file, blob, 124, "77777777777"), /ends within blobs\/builds/],
    ["with a size that is no number", (file) => forge(file, blob, 124, "-1000000000"), /is not a file of a playtest archive/],
    ["of another program", (file) => forge(file, "manifest.json", 0, "config.json\0\0\0"), /has no manifest\.json/],
  ])("refuses an archive %s, and changes nothing", async (_, damage, message) => {
    const file = await archiveOf(await withBuild(100));
    damage(file);
    const dataDir = dataDirFixture();
    const before = contents(dataDir);
    const { code, stderr } = await restore(file, dataDir, "--yes");
    expect(code).toBe(1);
    expect(stderr.startsWith(`error: ${file} `)).toBe(true);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
    expect(contents(dataDir)).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => name.startsWith(".restore"))).toEqual([]);
  });

  it("refuses a key of the environment that is not the archive's", async () => {
    const file = await archiveOf(dataDirFixture());
    const dataDir = dataDirFixture();
    const env = { PLAYTEST_SECRET_KEY: "ab".repeat(32) };
    const { code, stderr } = await playtest(["serve", "restore", file, "--data", dataDir, "--yes"], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("PLAYTEST_SECRET_KEY differs from the key in the archive"),
    });
  });

  it("that was interrupted keeps servers from starting on half of it", async () => {
    const dataDir = dataDirFixture();
    mkdirSync(join(dataDir, ".restore"));
    const { code, stderr } = await playtest(["serve", "run", "--port", "0", "--data", dataDir, "--exec", "true"]);
    expect(code).toBe(2);
    expect(stderr).toContain("was interrupted. The server was not started. The previous data is in its newest folder replaced-");
    expect(await restore(await archiveOf(await withBuild(100)), dataDir, "--yes")).toMatchObject({ code: 0 });
    expect(readdirSync(dataDir).filter((name) => name.startsWith(".restore"))).toEqual([]);
  });

  it("moves everything back when the last step fails", async () => {
    const dataDir = await withBuild(100);
    const before = contents(dataDir);
    mkdirSync(stagingIn(dataDir));
    writeFileSync(join(stagingIn(dataDir), "playtest.db"), "new");
    const last = async () => {
      expect(readFileSync(join(dataDir, "playtest.db"), "utf8")).toBe("new");
      throw new Error("no");
    };
    await expect(swapIn(dataDir, "now", last)).rejects.toThrow("no");
    rmSync(stagingIn(dataDir), { recursive: true });
    expect(contents(dataDir)).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => /restore|replaced/.test(name))).toEqual([]);
  });

  it.each(["SIGKILL", "SIGINT"] as const)("by %s in the middle changes nothing", async (signal) => {
    const [file, dataDir] = [await archiveOf(await withBuild(64 * 1024 * 1024)), await withBuild(10)];
    const before = contents(dataDir);
    const watcher = watch(dataDir);
    const { child, ended } = spawnPlaytest(freshFolder(), ["serve", "restore", file, "--data", dataDir, "--yes"]);
    while (child.exitCode === null && !existsSync(stagingIn(dataDir))) await moved(watcher, child);
    child.kill(signal);
    expect((await ended).code).toBe(signal === "SIGINT" ? 130 : null);
    watcher.close();
    expect(contents(dataDir).filter((line) => !line.startsWith(".restore.part"))).toEqual(before);
    if (signal === "SIGINT") expect(existsSync(stagingIn(dataDir))).toBe(false);
    const server = await serving(dataDir);
    expect(await server.stop()).toMatchObject({ code: 0 });
    rmSync(dataDir, { recursive: true });
  });
});
