import { execSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locate } from "../../server/database/drivers.ts";
import { migrate, migrations } from "../../server/database/migrate.ts";
import { initial } from "../../server/database/migrations/001-initial.ts";
import { openStore } from "../../server/database/open.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { doctor } from "../../server/operations/doctor.ts";
import { playtest, type Ran } from "../helpers/cli.ts";
import { corrupt, corruptions } from "../helpers/corruptions.ts";
import { dataDirFixture } from "../helpers/data-dir-fixture.ts";
import { createHistory } from "../helpers/history.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { sql } from "../helpers/postgres-server.ts";
import { insertDeadJob } from "../helpers/raw-rows.ts";
import { startTestServer } from "../helpers/server.ts";
import { Database } from "../helpers/sqlite.ts";
import { freshFolder } from "../helpers/store.ts";

/** The advice of `playtest serve doctor`: who follows it has what the check complained about no more. */
interface Advice {
  check: string;
  /** What the line of the check says. */
  detail: string | RegExp;
  /** What is said below, if anything. */
  help?: string | RegExp;
  break(folder: string): Promise<unknown> | unknown;
  follow(folder: string, said: string): Promise<unknown> | unknown;
}

let lived = "";
/** The last good backup. */
let backup = "";

/** Serves a data directory while something is done with it. A test server takes its files along when it goes, so they are kept elsewhere. */
async function serving(
  options: { dataDir: string; databaseUrl?: string },
  use: (server: Awaited<ReturnType<typeof startTestServer>>) => Promise<unknown>,
) {
  const { dataDir } = options;
  const [blobs, files] = [join(dataDir, "blobs"), freshFolder()];
  const store = await openStore(options);
  const server = await startTestServer({ store, dataDir });
  await use(server).finally(async () => {
    cpSync(blobs, files, { recursive: true });
    await server.close();
    await store.close();
    cpSync(files, blobs, { recursive: true });
  });
}

beforeAll(async () => {
  lived = dataDirFixture();
  await serving({ dataDir: lived }, createHistory);
  backup = join(freshFolder(), "copy.tar");
  expect((await playtest(["serve", "backup", backup, "--data", lived])).stderr).toBe("");
});
afterAll(() => {
  // Empty where the set-up failed: the parent of an empty path would be that of the checkout.
  for (const folder of [lived, backup && dirname(backup)]) if (folder !== "") rmSync(folder, { recursive: true });
});

const inSql = (folder: string, ...statements: string[]) => {
  const database = new Database(dataFile(folder));
  for (const statement of statements) database.exec(statement);
  database.close();
};
const serve = (verb: string, folder: string, ...flags: string[]) => playtest(["serve", verb, "--data", folder, ...flags]);
const run = async (verb: string, folder: string, ...flags: string[]) =>
  expect(await serve(verb, folder, ...flags)).toMatchObject({ code: 0 });
const restore = (folder: string) => run("restore", folder, backup, "--yes");
const startOnce = (dataDir: string) => serving({ dataDir }, (server) => server.advance(0));
const blobsIn = (folder: string) =>
  readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, "blobs", name)).isFile(),
  );

const kept = initial.statements.flatMap((statement) =>
  typeof statement === "object" && statement.sqlite.includes("ledger_postings_kept") ? [statement.sqlite] : [],
);

const advice: Advice[] = [
  {
    check: "schema",
    detail: /not applied yet: start the server, or run `playtest serve migrate`$/,
    break: older,
    follow: (folder) => run("migrate", folder),
  },
  {
    check: "schema",
    detail: /not applied yet: start the server/,
    break: older,
    follow: (folder) => run("run", folder, "--port", "0", "--sandbox", "--exec", "true"),
  },
  {
    check: "file_modes",
    detail: /^other users can access \S+instance\.key; `--fix` makes them private$/,
    break: (folder) => chmodSync(join(folder, "instance.key"), 0o604),
    follow: (folder) => run("doctor", folder, "--fix"),
  },
  {
    check: "instance_key",
    detail: /^The instance key from \S+instance\.key is not the key of this database: what it sealed could not be read\.$/,
    help: /^Set PLAYTEST_SECRET_KEY to the key of the other servers on this database, or copy their instance\.key to \S+instance\.key\. A backup contains it too\.$/,
    async break(folder) {
      await run("run", folder, "--port", "0", "--sandbox", "--exec", "true");
      renameSync(join(folder, "instance.key"), join(folder, "..", "instance.key"));
      writeFileSync(join(folder, "instance.key"), `${"ab".repeat(32)}\n`, { mode: 0o600 });
    },
    follow: (folder) => renameSync(join(folder, "..", "instance.key"), join(folder, "instance.key")),
  },
  {
    check: "instance_key",
    detail: /^There is no instance key in \S+instance\.key, and the secrets in this database are sealed with one\.$/,
    async break(folder) {
      await run("run", folder, "--port", "0", "--sandbox", "--exec", "true");
      renameSync(join(folder, "instance.key"), join(folder, "..", "instance.key"));
    },
    follow: (folder) => renameSync(join(folder, "..", "instance.key"), join(folder, "instance.key")),
  },
  {
    check: "configuration",
    detail: "not valid",
    help: /jobs\.leaseMs is -5\. It must be a whole number from 2000 to 3600000 \(milliseconds\)\./,
    break: (folder) => writeFileSync(join(folder, "config.json"), '{"jobs":{"leaseMs":-5}}', { mode: 0o600 }),
    follow: (folder) => writeFileSync(join(folder, "config.json"), '{"jobs":{"leaseMs":2000}}', { mode: 0o600 }),
  },
  {
    check: "disk_space",
    detail: /^[\d.]+ [GM]iB free in \S+$/,
    help: "The server reports at /readyz that it is not ready with less than 1048576 GiB (http.readyMinFreeBytes), and can soon write nothing. Free some space, or move the data to a larger disk.",
    break: (folder) => writeFileSync(join(folder, "config.json"), `{"http":{"readyMinFreeBytes":${2 ** 50}}}`, { mode: 0o600 }),
    follow: (folder) => writeFileSync(join(folder, "config.json"), '{"http":{"readyMinFreeBytes":0}}', { mode: 0o600 }),
  },
  {
    check: "jobs",
    detail: "1 × sweep-blobs failed (Error: no disk)",
    help: "These background jobs failed 25 times over several days and are not retried. `playtest admin jobs` lists what each was for. Remove the cause, then run `playtest admin jobs retry --all`, or requeue them with `--fix`.",
    break: (folder) => deadJob(folder),
    async follow(folder) {
      await startOnce(folder);
      expect(await jobStates(folder)).toEqual(["dead"]);
      await run("doctor", folder, "--fix");
      expect(await jobStates(folder)).toEqual(["queued"]);
    },
  },
  {
    check: "uploads",
    detail: /^missing in \S+\/blobs: \S+$/,
    help: /^Copy these files from a backup: `cp BACKUP\/blobs\/… \S+\/blobs\/…`, or from a tar file: `tar xf BACKUP\.tar -C \S+ blobs\/…`\. If the server keeps its files elsewhere, name its data directory with --data, or its configuration with --config\.$/,
    break: (folder) => rmSync(join(folder, "blobs", blobsIn(folder)[0]!)),
    follow(folder, said) {
      const key = /missing in \S+: (\S+)/.exec(said)![1]!;
      const [copied, unpacked] = [...said.matchAll(/`((?:cp|tar) .+?)`/g)].map(([, command]) => command!.replaceAll("…", key));
      const there = freshFolder();
      execSync(`tar xf ${backup} -C ${there}`);
      execSync(copied!.replace("BACKUP", there));
      rmSync(join(folder, "blobs", key));
      execSync(unpacked!.replace("BACKUP.tar", backup));
    },
  },
  {
    check: "search",
    detail: /incomplete passages? in the index$/,
    help: "Make the index again with `--fix`: a server fills it when it starts, and searches find only a part until then.",
    break: (folder) => inSql(folder, "DELETE FROM search_passages WHERE seq = (SELECT MIN(seq) FROM search_passages)"),
    async follow(folder) {
      await run("doctor", folder, "--fix");
      expect((await serve("doctor", folder)).stdout).toMatch(
        /^search\twarning\tsearches do not find \d+ of the videos, findings and names yet/m,
      );
      await startOnce(folder);
      expect((await serve("doctor", folder)).stdout).toContain("search\tok\tevery video, finding and name is indexed");
    },
  },
  {
    check: "append_only",
    detail: "ledger_postings has 1 of its 2 triggers",
    help: /Then create what is missing as the migration of the table does and remove what is not of this program, or restore the last good backup with `playtest serve restore`\.$/,
    break: (folder) => inSql(folder, "DROP TRIGGER ledger_postings_kept"),
    follow: (folder) => inSql(folder, ...kept),
  },
  {
    check: "append_only",
    detail: "the view people is not of this program",
    help: /Find out who did, and what was changed since \(`--ledger` shows inconsistencies\)\. Then create what is missing as the migration of the table does and remove what is not of this program/,
    break: (folder) => inSql(folder, "CREATE VIEW people AS SELECT email FROM users"),
    follow: (folder) => inSql(folder, "DROP VIEW people"),
  },
  {
    check: "append_only",
    detail: "audit_links has 1 of its 2 triggers",
    help: /or restore the last good backup with `playtest serve restore`\.$/,
    break: (folder) => inSql(folder, "DROP TRIGGER audit_links_unchanged"),
    follow: restore,
  },
  {
    check: "foreign_key_check",
    detail: /^\d+ rows refer to a row that does not exist$/,
    help: "Something other than this program removed rows. Stop the server and make a copy of the database as it is. Then restore the last good backup with `playtest serve restore`.",
    break: (folder) => inSql(folder, "PRAGMA foreign_keys = off; DELETE FROM games"),
    follow: restore,
  },
  {
    check: "integrity",
    detail: /page \d+/,
    help: "The database file is damaged. Stop the server and make a copy of the database as it is. Then restore the last good backup with `playtest serve restore`.",
    break: damage,
    follow: restore,
  },
  {
    check: "wal_bytes",
    detail: String(512 * 2 ** 20),
    help: "The write-ahead log has grown to 512 MiB or more. Stop the server, which empties it, and start it again.",
    break(folder) {
      writeFileSync(`${dataFile(folder)}-wal`, "", { mode: 0o600 });
      truncateSync(`${dataFile(folder)}-wal`, 512 * 2 ** 20);
    },
    follow: startOnce,
  },
];
/** A database of the version before the last migration. */
async function older(folder: string): Promise<void> {
  rmSync(dataFile(folder));
  const location = locate({ data: folder, databaseUrl: undefined, env: {} });
  const store = await location.driver.open(location);
  await migrate(store, migrations.slice(0, -1));
  await store.close();
}

async function deadJob(folder: string): Promise<void> {
  const store = await openStore({ dataDir: folder });
  await store.write((tx) => insertDeadJob(tx, "sweep-blobs", "Error: no disk"));
  await store.close();
}
async function jobStates(folder: string): Promise<unknown[]> {
  const store = await openStore({ dataDir: folder });
  const rows = await store.read((q) => q.all<{ state: string }>("SELECT state FROM jobs WHERE id = '1'"));
  await store.close();
  return rows.map(({ state }) => state);
}

/** Overwrites the first page of a table that no other check reads. */
function damage(folder: string): void {
  const database = new Database(dataFile(folder));
  const page = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'notifications'").pluck().get() as number;
  const size = database.pragma("page_size", { simple: true }) as number;
  database.close();
  const file = openSync(dataFile(folder), "r+");
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  closeSync(file);
}

const lineOf = ({ stdout }: Ran, check: string) => stdout.split("\n").find((line) => line.startsWith(`${check}\t`))!;
const helpOf = ({ stderr }: Ran, check: string) => {
  const [, ...helps] = stderr.trimEnd().split(/\n(?=\w+: )/);
  return helps.find((help) => help.startsWith(`${check}: `))?.slice(check.length + 2) ?? "";
};
const matching = (text: string | RegExp) => (typeof text === "string" ? text : expect.stringMatching(text));

const copyOf = (folder: string): string => {
  const copy = freshFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};

describe("serve doctor", () => {
  it.each(advice)("$check: $detail", async ({ check, detail, help, break: breaks, follow }) => {
    const folder = copyOf(lived);
    await breaks(folder);
    const ran = await serve("doctor", folder);
    const [, state, found] = lineOf(ran, check).split("\t");
    expect([ran.code, state, found]).toEqual([1, "failed", matching(detail)]);
    if (help !== undefined) expect(helpOf(ran, check)).toEqual(matching(help));
    await follow(folder, `${found} ${helpOf(ran, check)}`);
    const after = await serve("doctor", folder, "--ledger");
    expect([lineOf(after, check).split("\t")[1], after.stderr]).toEqual(["ok", ""]);
  });

  const rules = [...new Set(corruptions.map(({ rule }) => rule))];
  it.each(rules)("--ledger: %s", async (rule) => {
    const folder = copyOf(lived);
    const store = await openStore({ dataDir: folder });
    await store.write((tx) => corrupt(tx, store.dialect, corruptions.find((one) => one.rule === rule)!));
    await store.close();
    const help = helpOf(await serve("doctor", folder, "--ledger"), rule);
    const fixes = help.includes("`playtest serve doctor --fix`, which sets the balance to their sum");
    if (!fixes) expect(help).toMatch(/or restore that backup with `playtest serve restore`\.$/);
    await (fixes ? run("doctor", folder, "--fix") : restore(folder));
    expect(await serve("doctor", folder, "--ledger")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("serve doctor on PostgreSQL", () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  const checked = async (name: string, { data = lived, now = Date.now() } = {}) => {
    const options = { data, databaseUrl: database.url, ledger: false, fix: false, now, env: {} };
    return (await doctor(options)).find((check) => check.name === name)!;
  };

  it("uploads", async () => {
    const [files, elsewhere] = [freshFolder(), freshFolder()];
    await serving({ dataDir: files, databaseUrl: database.url }, createHistory);
    const uploads = (data: string) => checked("uploads", { data });
    expect(await uploads(elsewhere)).toMatchObject({
      ok: false,
      help: expect.stringContaining(
        "If the server keeps its files elsewhere, name its data directory with --data, or its configuration with --config.",
      ),
    });
    expect(await uploads(files)).toMatchObject({ ok: true });
  });

  it("clock", async () => {
    expect(await checked("clock", { now: Date.now() - 60_000 })).toMatchObject({
      ok: false,
      help: "Correct the clocks of this machine and of the database's: deadlines, signed links and background jobs depend on them.",
    });
    expect(await checked("clock")).toMatchObject({ ok: true });
  });

  it("append_only", async () => {
    const inTarget = async (sql: string) => {
      const store = await openStore({ databaseUrl: database.url });
      await store.write((tx) => tx.run(sql)).finally(() => store.close());
    };
    const revoked = initial.statements.flatMap((one) =>
      typeof one === "object" && one.postgres.startsWith("REVOKE UPDATE") ? [one.postgres] : [],
    );
    await inTarget("GRANT UPDATE ON ledger_postings TO CURRENT_USER");
    expect(await checked("append_only")).toMatchObject({
      ok: false,
      detail: "the database role of this server has UPDATE on ledger_postings",
      help: expect.stringContaining("Then create what is missing as the migration of the table does"),
    });
    for (const statement of revoked) await inTarget(statement);
    expect(await checked("append_only")).toMatchObject({
      ok: true,
      warning: true,
      detail: expect.stringMatching(/^the database role of this server is a superuser, which no table is protected from/),
    });
  });

  it("append_only, of a role that is no superuser", async () => {
    const owned = await freshDatabase({ empty: true });
    const [role, group] = [`owner_${owned.name}`, `group_${owned.name}`];
    const asSuperuser = (statement: string) => sql(owned.unrestrictedUrl, statement);
    await asSuperuser(`CREATE ROLE ${role} LOGIN`);
    await asSuperuser(`CREATE ROLE ${group}`);
    await asSuperuser(`ALTER DATABASE ${owned.name} OWNER TO ${role}`);
    const url = new URL(owned.unrestrictedUrl);
    url.username = role;
    const databaseUrl = url.href;
    await (await openStore({ databaseUrl })).close();
    const guard = async () => {
      const options = { data: lived, databaseUrl, ledger: false, fix: false, now: Date.now(), env: {} };
      return (await doctor(options)).find(({ name }) => name === "append_only")!;
    };
    const fine = {
      name: "append_only",
      ok: true,
      detail: "postings, audit entries and invoices cannot be changed or removed",
    };
    expect(await guard()).toEqual(fine);
    await asSuperuser("GRANT UPDATE ON ledger_postings TO PUBLIC");
    await asSuperuser(`GRANT DELETE ON audit_links TO ${group}`);
    await asSuperuser(`GRANT ${group} TO ${role}`);
    expect(await guard()).toMatchObject({
      ok: false,
      detail:
        "the database role of this server has DELETE on audit_links; the database role of this server has UPDATE on ledger_postings",
    });
    await asSuperuser("REVOKE UPDATE ON ledger_postings FROM PUBLIC");
    await asSuperuser(`REVOKE ${group} FROM ${role}`);
    expect(await guard()).toEqual(fine);
    await owned.drop();
    for (const name of [role, group]) await sql(database.unrestrictedUrl, `DROP ROLE ${name}`);
  });
});
