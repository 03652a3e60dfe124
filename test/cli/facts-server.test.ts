import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrations } from "../../server/database/migrate.ts";
import { openStore } from "../../server/database/open.ts";
import { pathOf } from "../../server/uploads/store.ts";
import { playtest } from "../helpers/cli.ts";
import { commandFacts, type Fact, type Scene } from "../helpers/command-facts.ts";
import { buildId, dataDirFixture, withBuild } from "../helpers/data-dir-fixture.ts";
import { type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

let dataDir = "";
let owner: Person;

/** Serves a data directory while something is done with it. */
async function serving<T>(folder: string, use: (server: Awaited<ReturnType<typeof startTestServer>>) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir: folder });
  const server = await startTestServer({ store, dataDir: folder });
  return use(server).finally(async () => {
    await server.close();
    await store.close();
  });
}

/** A data directory with an account that has a webhook, whose secret is encrypted. */
async function used(): Promise<void> {
  dataDir = dataDirFixture();
  await serving(dataDir, async (server) => {
    owner = await registerOwner(server);
    await owner.post("/webhooks", { url: "https://example.com/hook", events: ["*"] });
  });
}

/** Starts a server as the program does, which ends at once: its exit code and what it says. */
const startedWith = (env: Record<string, string> = {}) =>
  playtest(["serve", "run", "--port", "0", "--sandbox", "--data", dataDir, "--exec", "true"], { env });

const listed = (file: string) => execFileSync("tar", ["-tf", file], { encoding: "utf8" }).trim().split("\n");
const nameOf = (text: string, pattern: RegExp) => pattern.exec(text.replace(/\s+/g, " "))![1]!;

const backups: Fact[] = [
  {
    says: /Would write \S+copy\.tar: 0 uploads, about \d/,
    async line({ cwd }) {
      await used();
      return `serve backup ${join(cwd, "copy.tar")} --data ${dataDir} --dry-run`;
    },
    async holds({ cwd, run }) {
      expect(readdirSync(cwd)).toEqual([]);
      await run(`serve backup ${join(cwd, "copy.tar")} --data ${dataDir}`);
      expect(readdirSync(cwd)).toEqual(["copy.tar"]);
    },
  },
  {
    says: /Removed \S+playtest-20250101T000000Z\.tar\. /,
    async line({ cwd }) {
      await used();
      writeFileSync(join(cwd, "playtest-20250101T000000Z.tar"), "old");
      return `serve backup ${cwd} --data ${dataDir} --keep 1`;
    },
    async holds({ cwd }, { stdout }) {
      const file = nameOf(stdout, /Wrote and verified (\S+):/);
      expect(readdirSync(cwd).map((name) => join(cwd, name))).toEqual([file]);
    },
  },
  {
    says: /It contains the instance key and all user data\./,
    async line({ cwd }) {
      await used();
      return `serve backup ${join(cwd, "copy.tar")} --data ${dataDir}`;
    },
    async holds({ cwd }) {
      const there = freshFolder();
      execFileSync("tar", ["-xf", join(cwd, "copy.tar"), "-C", there]);
      expect(readFileSync(join(there, "instance.key"), "utf8")).toBe(readFileSync(join(dataDir, "instance.key"), "utf8"));
      expect(readFileSync(join(there, "playtest.db")).includes("game_owner1@example.com")).toBe(true);
    },
  },
  {
    says: "Either can be served: copy the directory, or unpack the archive into an empty one.",
    line: () => "serve backup --help",
    async holds({ cwd, run }) {
      await used();
      for (const target of ["copy.tar", "folder"]) await run(`serve backup ${join(cwd, target)} --data ${dataDir}`);
      const [unpacked, copied] = [freshFolder(), join(freshFolder(), "copied")];
      execFileSync("tar", ["-xf", join(cwd, "copy.tar"), "-C", unpacked]);
      execFileSync("cp", ["-r", join(cwd, "folder", readdirSync(join(cwd, "folder"))[0]!), copied]);
      for (const there of [unpacked, copied]) {
        const webhooks = (server: TestServer) => personWith(server, owner.key, owner.id).get("/webhooks");
        expect((await serving(there, webhooks)).status).toBe(200);
      }
    },
  },
  {
    says: /New since the last backup here: 3 files, [\d.]+ MiB\./,
    async line({ cwd, run }) {
      dataDir = await withBuild(5_000_000);
      await run(`serve backup ${cwd} --data ${dataDir}`);
      renameSync(join(cwd, readdirSync(cwd)[0]!), join(cwd, "playtest-20250101T000000Z"));
      return `serve backup ${cwd} --data ${dataDir}`;
    },
    async holds({ cwd }) {
      const builds = readdirSync(cwd).map((name) => statSync(join(cwd, name, "blobs/builds", buildId)));
      expect(builds.map(({ ino, size }) => [ino, size])).toEqual(builds.map(() => [builds[0]!.ino, 5_000_000]));
    },
  },
  {
    says: "unsent emails, config.json and the instance key. Unfinished uploads are not included.",
    line: () => "serve backup --help",
    async holds({ cwd, run }) {
      await used();
      writeFileSync(join(dataDir, "config.json"), "{}");
      const upload = "019a0000-0000-7000-8000-000000000001";
      writeFileSync(pathOf(dataDir, upload), "half");
      const store = await openStore({ dataDir });
      const job = { id: "1", kind: "send-mail", unique_key: "1", payload: "not sent yet", run_at: 1, attempts: 0 };
      await store.write((tx) => insertRow(tx, "jobs", { ...job, state: "queued", lease_until: 0, created_at: 1 }));
      await store.close();
      await run(`serve backup ${join(cwd, "copy.tar")} --data ${dataDir}`);
      const names = listed(join(cwd, "copy.tar"));
      expect(names).toEqual(expect.arrayContaining(["config.json", "instance.key", "playtest.db"]));
      expect(names.filter((name) => name.includes("000000000001"))).toEqual([]);
      const there = freshFolder();
      execFileSync("tar", ["-xf", join(cwd, "copy.tar"), "-C", there]);
      const copy = await openStore({ dataDir: there });
      const unsent = await copy.read((q) => q.all("SELECT payload FROM jobs WHERE kind = 'send-mail' AND id = '1'"));
      await copy.close();
      expect(unsent).toEqual([{ payload: "not sent yet" }]);
    },
  },
];

const keys: Fact[] = [
  {
    says: /Rotated the instance key\. \d+ stored values? encrypted again\. The new key is in \S+instance\.key\. Every other server of this database needs it at its next start\. /,
    async line() {
      await used();
      oldKey = readFileSync(join(dataDir, "instance.key"), "utf8").trim();
      return `serve rotate-key --data ${dataDir} --yes`;
    },
    async holds(_, { stdout }) {
      const file = nameOf(stdout, /new key is in (\S+)\./);
      const newKey = readFileSync(file, "utf8").trim();
      const codes = [];
      for (const key of [oldKey, newKey]) codes.push((await startedWith({ PLAYTEST_SECRET_KEY: key })).code);
      expect([newKey === oldKey, codes]).toEqual([false, [2, 0]]);
    },
  },
];
let oldKey = "";

const migrating: Fact[] = [
  {
    says: "The database is up to date.",
    line() {
      dataDir = dataDirFixture();
      return `serve migrate --data ${dataDir}`;
    },
    async holds() {
      const store = await openStore({ dataDir });
      const rows = await store.read((q) => q.all<{ name: string }>("SELECT name FROM schema_migrations ORDER BY position"));
      await store.close();
      expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    },
  },
];

const restores: Fact[] = [
  {
    says: "API keys remain valid.",
    line: () => "serve restore --help",
    async holds({ cwd, run }: Scene) {
      await used();
      await run(`serve backup ${join(cwd, "copy.tar")} --data ${dataDir}`);
      const there = join(cwd, "there");
      await run(`serve restore ${join(cwd, "copy.tar")} --data ${there} --yes`);
      const status = await serving(
        there,
        async (server) => (await personWith(server, owner.key, owner.id).get("/auth/me")).status,
      );
      expect([status, existsSync(join(there, "playtest.db"))]).toEqual([200, true]);
    },
  },
];

it("Set PLAYTEST_SECRET_KEY to the key in the file, or unset it, before a server starts again.", async () => {
  await used();
  const [old, file] = [readFileSync(join(dataDir, "instance.key"), "utf8").trim(), join(dataDir, "instance.key")];
  const env = { PLAYTEST_SECRET_KEY: old };
  const { stdout } = await playtest(["serve", "rotate-key", "--data", dataDir, "--yes"], { env });
  expect(stdout).toContain(`Set PLAYTEST_SECRET_KEY to the key in ${file}, or unset it, before a server starts again.`);
  const starts = [];
  for (const given of [env, { PLAYTEST_SECRET_KEY: readFileSync(file, "utf8").trim() }, {}])
    starts.push((await startedWith(given)).code);
  expect(starts).toEqual([2, 0, 0]);
});

commandFacts([...backups, ...keys, ...migrating, ...restores]);
