import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { find as findUser } from "../../server/accounts/users-store.ts";
import { openStore } from "../../server/database/open.ts";
import { fingerprintOf } from "../../server/lib/secrets.ts";
import { backup as makeBackup } from "../../server/operations/archive/backup.ts";
import { FolderWriter } from "../../server/operations/archive/folder.ts";
import { makeScratch } from "../../server/operations/archive/scratch.ts";
import { playtest } from "../helpers/cli.ts";
import { addBuild, buildId, withBuild } from "../helpers/data-dir-fixture.ts";
import { killLeftovers, program, spawnPlaytest } from "../helpers/process.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { Database } from "../helpers/sqlite.ts";
import { type DatabaseLocation, drivers, freshFolder } from "../helpers/store.ts";

afterAll(killLeftovers);

const MiB = 1024 * 1024;
const otherBuild = buildId.replace(/1$/, "2");
const dayNames = (...days: number[]) => days.map((day) => `playtest-2026030${day}T000000Z`);

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = await withBuild(MiB);
  folder = join(freshFolder(), "backups");
});

const on = (day: number) => ({ now: Date.UTC(2026, 2, day) });
async function backup(day: number, ...argv: string[]) {
  const ran = await playtest(["serve", "backup", folder, "--data", dataDir, "--json", ...argv], on(day));
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(ran.stdout).result;
}
const path = (day: number, ...names: string[]) => join(folder, dayNames(day)[0]!, ...names);
const inode = (day: number, id: string) => statSync(path(day, "blobs/builds", id)).ino;
const restore = (from: string, to: string) => playtest(["serve", "restore", from, "--data", to, "--yes"]);

describe("a backup in a folder", () => {
  it("shares the files of the last one, and takes the space of what is new", async () => {
    const first = await backup(1);
    expect([first.file, first.newFiles, first.newBytes]).toEqual([path(1), first.files, first.bytes]);
    await addBuild(dataDir, otherBuild, 2 * MiB);
    const planned = await backup(2, "--dry-run");
    expect(readdirSync(folder)).toEqual(dayNames(1));
    const second = await backup(2);
    expect(second.bytes - second.newBytes).toBe(MiB);
    expect(second.files - second.newFiles).toBe(1);
    expect([planned.files, planned.newFiles]).toEqual([2, 1]);
    expect(inode(2, buildId)).toBe(inode(1, buildId));
    // What is in the server's own folder is another file: damage there is none in the backup.
    expect(inode(1, buildId)).not.toBe(statSync(join(dataDir, "blobs/builds", buildId)).ino);
    for (const day of [1, 2]) execFileSync("sha256sum", ["--quiet", "--check", "SHA256SUMS"], { cwd: path(day) });
    expect(statSync(path(2)).mode & 0o777).toBe(0o700);
    expect(statSync(path(2, "playtest.db")).mode & 0o777).toBe(0o600);
  });

  it("is a data folder that can be served, and is restored as a file is", async () => {
    await backup(1);
    const there = join(freshFolder(), "there");
    expect(await restore(path(1), there)).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(join(there, "blobs/builds", buildId)).size).toBe(MiB);
    expect(statSync(join(there, "blobs/builds", buildId)).ino).not.toBe(inode(1, buildId));
    const copy = join(freshFolder(), "copy");
    execFileSync("cp", ["-r", path(1), copy]);
    for (const data of [there, copy])
      expect(await playtest(["serve", "doctor", "--ledger", "--data", data])).toMatchObject({ code: 0, stderr: "" });
  });

  it("copies a file again whose copy in the last backup lost its end, or is gone", async () => {
    await addBuild(dataDir, otherBuild, 10);
    await backup(1);
    truncateSync(path(1, "blobs/builds", buildId), 1000);
    rmSync(path(1, "blobs/builds", otherBuild));
    const made = await backup(2);
    expect(made.newFiles).toBe(made.files);
    expect(statSync(path(2, "blobs/builds", buildId)).size).toBe(MiB);
  });

  it("is complete where the last one has no list of its files", async () => {
    await backup(1);
    rmSync(path(1, "SHA256SUMS"));
    expect((await backup(2)).newBytes).toBeGreaterThan(MiB);
  });

  it("does not replace another, and its folder is no backup", async () => {
    await backup(1);
    const again = await playtest(["serve", "backup", folder, "--data", dataDir, "--force"], on(1));
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining("already exists and was not changed. Try again")]);
    const { code, stderr } = await restore(folder, join(freshFolder(), "there"));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`pass one of them, the newest of which is ${path(1)}`)]);
  });

  it.each<[string, (made: string) => void, RegExp]>([
    ["a missing file", (made) => rmSync(join(made, "blobs/builds", buildId)), /blobs\/builds\/\S+ is missing from the archive/],
    ["a damaged file", (made) => truncateSync(join(made, "blobs/builds", buildId), 5), /does not match its checksum/],
    ["no manifest", (made) => rmSync(join(made, "manifest.json")), /it has no manifest\.json/],
    ["no list", (made) => rmSync(join(made, "SHA256SUMS")), /it has no SHA256SUMS, so it is not a playtest archive/],
    ["a damaged list", (made) => appendFileSync(join(made, "SHA256SUMS"), "x\n"), /SHA256SUMS is damaged/],
    [
      "a list that leads out of it",
      (made) => appendFileSync(join(made, "SHA256SUMS"), `${"0".repeat(64)}  ../../../etc/passwd\n`),
      /\.\.\/etc\/passwd is missing from the archive/,
    ],
    [
      "a link in the place of a file",
      (made) => {
        rmSync(join(made, "instance.key"));
        symlinkSync("/etc/passwd", join(made, "instance.key"));
      },
      /instance\.key is not a regular file/,
    ],
  ])("with %s is refused", async (_, damage, message) => {
    await backup(1);
    damage(path(1));
    const there = join(freshFolder(), "there");
    const { code, stderr } = await restore(path(1), there);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(existsSync(there)).toBe(false);
  });

  it("that is killed never has the name of one, and the next one removes it a day later", async () => {
    truncateSync(join(dataDir, "blobs/builds", buildId), 64 * MiB);
    mkdirSync(folder);
    const watcher = watch(folder);
    const { child, ended } = spawnPlaytest(folder, ["serve", "backup", folder, "--data", dataDir, "--keep", "7d"]);
    while (child.exitCode === null && readdirSync(folder).length === 0) await once(watcher, "change");
    child.kill("SIGKILL");
    expect((await ended).code).toBe(null);
    watcher.close();
    const [left] = readdirSync(folder);
    expect(left).toMatch(/^\.playtest-\d{8}T\d{6}Z\.part$/);
    expect((await playtest(["serve", "backup", "verify", folder])).stderr).toContain("has no backup that");
    truncateSync(join(dataDir, "blobs/builds", buildId), MiB);
    // It may be at work still, as far as the next one knows.
    const now = statSync(join(folder, left!)).mtimeMs;
    const next = (at: number) =>
      playtest(["serve", "backup", folder, "--data", dataDir, "--keep", "7d"], { now: at }).then(() => readdirSync(folder));
    expect(await next(now + 3_600_000)).toContain(left);
    expect(await next(now + 25 * 3_600_000)).not.toContain(left);
  });
});

async function addSetting(folder: string, name: string, value: string): Promise<void> {
  const store = await openStore({ dataDir: folder });
  await store.write((tx) => insertRow(tx, "settings", { name, value }));
  await store.close();
}

/** Changes a file of the first backup, and its sum with it, as an earlier version could have written it. */
async function replaced(name: string, change: (file: string) => Promise<void> | void): Promise<void> {
  const sum = () =>
    createHash("sha256")
      .update(readFileSync(path(1, name)))
      .digest("hex");
  const before = sum();
  await change(path(1, name));
  writeFileSync(path(1, "SHA256SUMS"), readFileSync(path(1, "SHA256SUMS"), "utf8").replace(before, sum()));
}

describe("a database whose data was moved to PostgreSQL", () => {
  const isMoved = "The data of this server was moved to PostgreSQL by `playtest serve migrate --to`, and what is here is old.";
  const use = "Use that database: pass its URL with --database-url or set DATABASE_URL.";

  it.each([
    ["backup", "Nothing was written.", () => [folder, "--keep", "1"]],
    ["backup", "Nothing was written.", () => [folder, "--dry-run"]],
    ["export", "Nothing was written.", () => [join(folder, "export.tar")]],
    ["rotate-key", "Nothing was changed.", () => ["--yes"]],
    ["reset-factor", "Nothing was changed.", () => ["a", "--yes"]],
    ["migrate", "Nothing was changed.", () => []],
    ["upgrade", "Nothing was changed.", () => ["--check"]],
  ])("is refused by serve %s: %s", async (verb, outcome, argv) => {
    await backup(1);
    await addSetting(dataDir, "moved_to", "ab".repeat(16));
    const before = readdirSync(folder);
    const { code, stderr } = await playtest(["serve", verb, ...argv(), "--data", dataDir], on(2));
    expect({ code, stderr }).toEqual({ code: 2, stderr: `error: ${isMoved} ${outcome} ${use}\n` });
    expect(readdirSync(folder)).toEqual(before);
  });

  it("fails a check of serve doctor", async () => {
    await addSetting(dataDir, "moved_to", "ab".repeat(16));
    const { code, stdout, stderr } = await playtest(["serve", "doctor", "--ledger", "--data", dataDir], { now: Date.now() });
    expect([code, stdout, stderr]).toEqual([
      1,
      expect.stringContaining(`\nmoved\tfailed\t${isMoved}\n`),
      expect.stringContaining(`\nmoved: ${use}\n`),
    ]);
  });

  it.each([
    ["moved_to", isMoved],
    ["moving_from", "was interrupted before the old database was given up."],
  ])("in a backup of an earlier version is not restored: %s", async (name, says) => {
    await backup(1);
    await replaced("playtest.db", async (file) => {
      const at = freshFolder();
      renameSync(file, join(at, "playtest.db"));
      await addSetting(at, name, "ab".repeat(16));
      renameSync(join(at, "playtest.db"), file);
    });
    const there = join(freshFolder(), "data");
    for (const ran of [await playtest(["serve", "backup", "verify", folder]), await restore(path(1), there)])
      expect([ran.code, ran.stderr]).toEqual([
        2,
        expect.stringContaining(`${says} Nothing was changed. Restore a backup of the database that is in use.\n`),
      ]);
    expect(existsSync(there)).toBe(false);
  });
});

describe("the instance key in a backup", () => {
  const keys = { old: "11".repeat(32), now: "22".repeat(32), other: "33".repeat(32) };
  const fingerprint = (key: string) => fingerprintOf(Buffer.from(key, "hex"), randomBytes);
  const place = (key: string, name = "instance.key") => writeFileSync(join(dataDir, name), `${key}\n`, { mode: 0o600 });
  const archived = () => readFileSync(path(1, "instance.key"), "utf8").trim();
  const setKey = (key: string) => addSetting(dataDir, "instance_key", fingerprint(key));
  const inEnvironment = (key: string) => ({ ...on(1), env: { PLAYTEST_SECRET_KEY: key } });

  it("is that of the database in it, where it is rotated while files are copied", async () => {
    place(keys.old);
    place(keys.now, "instance.key.next");
    await setKey(keys.old);
    const database = new Database(join(dataDir, "playtest.db"));
    const rotate = () => database.prepare("UPDATE settings SET value = ? WHERE name = 'instance_key'").run(fingerprint(keys.now));
    let isDone = false;
    const onProgress = (step: string) => {
      if (step === "Copying" && !isDone) isDone = Boolean(rotate());
    };
    const order = { target: folder, portable: false, force: false, dryRun: false, version: "1" };
    await makeBackup({ ...order, data: dataDir, env: {}, now: on(1).now, onProgress });
    database.close();
    renameSync(join(dataDir, "instance.key.next"), join(dataDir, "instance.key"));
    expect([isDone, archived()]).toEqual([true, keys.now]);
    expect(await playtest(["serve", "backup", "verify", folder])).toMatchObject({ code: 0, stderr: "" });
  });

  it("is that of the database where the environment has the one before a rotation", async () => {
    place(keys.now);
    await setKey(keys.now);
    const argv = ["serve", "backup", folder, "--data", dataDir];
    expect(await playtest(argv, inEnvironment(keys.old))).toMatchObject({ code: 0, stderr: "" });
    expect(archived()).toBe(keys.now);
  });

  it.each(["backup", "export"])("is that of the database, or %s keeps nothing", async (verb) => {
    place(keys.other);
    await setKey(keys.now);
    const { code, stderr } = await playtest(["serve", verb, folder, "--data", dataDir], on(1));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: The instance key from ${dataDir}/instance.key is not the key of this database: what it sealed could not be read. No backup was kept. Set PLAYTEST_SECRET_KEY to the key of the other servers on this database, or copy their instance.key to ${dataDir}/instance.key. A backup contains it too.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is checked by verify and restore, which take that of the environment instead", async () => {
    place(keys.now);
    await setKey(keys.now);
    await backup(1);
    await replaced("instance.key", (file) => writeFileSync(file, `${keys.other}\n`));
    const there = join(freshFolder(), "data");
    const [verify, put] = [
      ["serve", "backup", "verify", folder],
      ["serve", "restore", path(1), "--data", there, "--yes"],
    ] as const;
    for (const argv of [verify, put]) {
      const { code, stderr } = await playtest([...argv]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining("The instance key in the archive is not the key of the database in it"),
      });
    }
    expect(existsSync(there)).toBe(false);
    for (const argv of [verify, put])
      expect(await playtest([...argv], inEnvironment(keys.now))).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("accounts that were deleted after the backup", () => {
  const other = "019a0000-0000-7000-8000-000000000009";
  const list = `${other} 2026-02-01T00:00:00.000Z\n${buildId} 2026-03-05T00:00:00.000Z\n`;
  const nameIn = async (data: string) => {
    const store = await openStore({ dataDir: data });
    const user = await store.read((q) => findUser(q, buildId)).finally(() => store.close());
    return user?.display_name;
  };

  it.each([
    ["beside it", (there: string) => join(folder, there), []],
    ["that is given", (there: string) => join(freshFolder(), there), ["--deletions"]],
  ])("are deleted again by the list %s, when the server starts", async (_, place, flag) => {
    await backup(1);
    const file = place("deletions.txt");
    writeFileSync(file, list);
    const there = join(freshFolder(), "there");
    const given = flag.length > 0 ? [...flag, file] : [];
    const { code, stdout } = await playtest(["serve", "restore", path(1), "--data", there, "--yes", ...given]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("The server will delete 1 account again when it starts")]);
    expect([await nameIn(there), readFileSync(join(there, "deletions.txt"), "utf8")]).toEqual([
      "A",
      `\n${list.split("\n")[1]}\n`,
    ]);
    const start = ["serve", "run", "--port", "0", "--data", there, "--exec", "true"];
    expect(await spawnPlaytest(freshFolder(), start).ended).toMatchObject({ code: 0 });
    expect([await nameIn(there), existsSync(join(there, "deletions.txt"))]).toEqual(["Deleted account", false]);
  });

  it.each([
    ["no file", undefined, "cannot be read"],
    ["another file", "ids\n", "is not a list of deleted accounts. Nothing was changed."],
  ])("are not looked for in %s", async (_, text, message) => {
    await backup(1);
    const [file, there] = [join(freshFolder(), "list"), join(freshFolder(), "there")];
    if (text !== undefined) writeFileSync(file, text);
    const argv = ["serve", "restore", path(1), "--data", there, "--yes", "--deletions", file];
    const { code, stderr } = await playtest(argv);
    expect([code, stderr, existsSync(there)]).toEqual([2, expect.stringContaining(message), false]);
  });
});

it("a file that cannot have a second name is copied, and the reason is kept", async () => {
  const [earlier, made] = [freshFolder(), freshFolder()];
  // Links to files of the system are refused, as between two disks.
  symlinkSync("/proc/sys/kernel", join(earlier, "blobs"));
  const writer = new FolderWriter(made, { folder: earlier, sums: new Map([["blobs/hostname", "0".repeat(64)]]) });
  expect(await writer.reuse("blobs/hostname", 0)).toBeUndefined();
  expect(writer.unshared).toContain("EXDEV");
});

describe("--keep", () => {
  it("leaves what the rule says, and what is not its own", async () => {
    mkdirSync(folder);
    const others = ["playtest-export-20260101T000000Z.tar", "playtest-old.tar", "playtest-20260101T000000Z.tar.gz"];
    const old = "playtest-20260101T000000Z.tar";
    const parts = [".playtest-20260101T000000Z.tar.part", ".playtest-20260302T000001Z.part"] as const;
    for (const name of [...others, ...parts, old]) writeFileSync(join(folder, name), "");
    for (const [at, name] of parts.entries()) utimesSync(join(folder, name), 0, Date.UTC(2026, 2, 4 * at) / 1000);
    // Somebody's folder that is named like a backup.
    const theirs = "playtest-20260102T000000Z";
    mkdirSync(join(folder, theirs));
    for (const day of [1, 2, 3]) await backup(day, "--keep", "2");
    const { removed } = await backup(4, "--keep", "2d");
    expect(removed).toEqual([path(2)]);
    expect(readdirSync(folder).sort()).toEqual([...dayNames(3, 4), ...others, theirs, parts[1]].sort());
    expect(statSync(path(4, "blobs/builds", buildId)).nlink).toBe(2);
  });

  it("leaves the one just made, also beside one that a clock which was ahead named later", async () => {
    await backup(9);
    const { removed } = await backup(1, "--keep", "1");
    expect([removed, readdirSync(folder).sort()]).toEqual([[], dayNames(1, 9)]);
  });

  it("finishes the removal that a killed run began", async () => {
    await backup(1);
    mkdirSync(join(folder, ".playtest-20260101T000000Z.removed"));
    await backup(2, "--keep", "7d");
    expect(readdirSync(folder)).toEqual(dayNames(1, 2));
  });

  it.each([
    [["backups", "--keep", "often"], "--keep often is not a rule. Nothing was written. Pass one such as 7d,4w,12m"],
    [["-", "--keep", "7d"], "--keep can only be used with a folder, and standard output is not one."],
  ])("%j is refused", async ([target, ...argv], message) => {
    const { code, stderr } = await playtest(["serve", "backup", target!, ...argv, "--data", dataDir]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("a backup on standard output", () => {
  const shell = (script: string) => {
    const at = freshFolder();
    const { child, ended } = spawnPlaytest(at, ["serve", "run", "--ephemeral", "--port", "0", "--exec", script]);
    return { at, child, ended };
  };
  const command = `"${process.execPath}" "${program}"`;

  it("is an archive that verify and restore take from standard input", async () => {
    const { at, ended } = shell(
      `set -e; ${command} serve backup - --data ${dataDir} > a.tar 2> said; tar -tf a.tar > listed;
       ${command} serve backup verify - < a.tar > verified; ${command} serve restore - --data there --yes < a.tar > restored 2> warned;
       ${command} serve import - --data new < a.tar > imported 2> alike; echo "01900000-0000-7000-8000-000000000000 2099-01-01T00:00:00.000Z" > list;
       ${command} serve import - --data newer --deletions list < a.tar > again 2> silent`,
    );
    expect(await ended).toMatchObject({ code: 0 });
    const text = (name: string) => readFileSync(join(at, name), "utf8");
    expect(text("listed").split("\n")).toEqual(expect.arrayContaining([`blobs/builds/${buildId}`, "playtest.db", "SHA256SUMS"]));
    expect(text("said")).toContain("Wrote and verified standard output: 4 files");
    expect(text("verified")).toMatch(/standard-input\.tar of \S+ was restored: 4 files/);
    expect(statSync(join(at, "there/blobs/builds", buildId)).size).toBe(MiB);
    for (const said of ["warned", "alike"]) expect(text(said)).toContain("pass their list with --deletions");
    expect([text("silent"), text("again")]).toEqual(["", expect.stringContaining("The server will delete 1 account again")]);
  });

  it("leaves no copy of the database behind when a signal ends it, also while nobody reads", async () => {
    const temp = freshFolder();
    const argv = [program, "serve", "backup", "-", "--data", dataDir];
    const child = spawn(process.execPath, argv, { env: { ...process.env, TMPDIR: temp }, stdio: ["ignore", "pipe", "ignore"] });
    const copies = () => readdirSync(temp).filter((name) => name.startsWith("playtest-backup-"));
    const watcher = watch(temp);
    while (copies().length === 0) await once(watcher, "change");
    watcher.close();
    child.kill("SIGTERM");
    expect([await once(child, "exit"), copies()]).toEqual([[143, null], []]);
  });

  it("removes what one left that was killed more than a day ago", async () => {
    const temp = freshFolder();
    const gone = spawnSync("true").pid;
    const names = {
      left: `playtest-backup-${gone}-a`,
      fresh: `playtest-backup-${gone}-b`,
      runs: `playtest-backup-${process.pid}-c`,
    };
    for (const name of [...Object.values(names), "playtest-other"]) {
      mkdirSync(join(temp, name));
      if (name !== names.fresh) utimesSync(join(temp, name), 0, 0);
    }
    const made = makeScratch(temp, "playtest-backup-", Date.now());
    expect(readdirSync(temp).sort()).toEqual([names.fresh, names.runs, basename(made), "playtest-other"].sort());
  });

  it("fails where its reader stops, and a part of it is refused", async () => {
    const { at, ended } = shell(
      `{ ${command} serve backup - --data ${dataDir} 2> said; echo $? > code; } | head -c 100000 > a.tar;
       ${command} serve backup verify - < a.tar 2> refused; echo $? > refusal`,
    );
    await ended;
    const text = (name: string) => readFileSync(join(at, name), "utf8").trim();
    expect([text("code"), text("refusal")]).toEqual(["1", "1"]);
    expect(text("said")).toBe("error: Standard output was closed before the archive was complete. What was read cannot be used.");
    expect(text("refused")).toContain("it was not written or copied completely");
  });

  it.each([
    [["--json"], false, "standard output is the archive and has no other format. Nothing was written."],
    [[], true, "Standard output is a terminal. Nothing was written."],
  ])("with %j, on a terminal: %s, is refused", async (argv, tty, message) => {
    const { code, stderr } = await playtest(["serve", "backup", "-", "--data", dataDir, ...argv], { tty });
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([2, expect.stringContaining(message)]);
  });

  it("is not read from a terminal", async () => {
    const { code, stderr } = await playtest(["serve", "backup", "verify", "-"], { tty: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining("Standard input is a terminal. Nothing was changed.")]);
  });
});

describe.each(drivers)("of $name", (driver) => {
  it("a folder is made and restored into a new database", async () => {
    const empty = (location: DatabaseLocation) => {
      const { databaseUrl } = location.options as { databaseUrl?: string };
      return ["--data", join(freshFolder(), "data"), ...(databaseUrl ? ["--database-url", databaseUrl] : [])];
    };
    const [from, to] = [empty(await driver.location({ empty: true })), empty(await driver.location({ empty: true }))];
    const ready = await spawnPlaytest(freshFolder(), ["serve", "run", "--port", "0", ...from, "--exec", "true"]).ended;
    expect(ready.code).toBe(0);
    for (const day of [1, 2]) {
      const { code, stderr } = await playtest(["serve", "backup", folder, ...from, "--keep", "1"], on(day));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    expect(readdirSync(folder)).toEqual(dayNames(2));
    expect(await playtest(["serve", "restore", path(2), ...to, "--yes"])).toMatchObject({ code: 0, stderr: "" });
    const now = Date.now();
    expect(await playtest(["serve", "doctor", "--ledger", ...to], { now })).toMatchObject({ code: 0, stderr: "" });
    expect(await playtest(["serve", "backup", "verify", folder])).toMatchObject({ code: 0, stderr: "" });
  });
});
