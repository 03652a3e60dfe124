import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import type { BackUp, BackupOrder, MadeBackup } from "../../server/operations/backups/types.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin } from "../helpers/factories.ts";
import { operationsOf } from "../helpers/operations.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const [minute, hour] = [60_000, 3_600_000];
const token = "a-token-for-the-metrics";
const made: MadeBackup = { file: "/backups/one", bytes: 10, newBytes: 5, removed: ["/backups/old"], missing: [] };

/** Makes backups, or fails with the messages that are put into `failures`. */
function maker() {
  const orders: Omit<BackupOrder, "signal">[] = [];
  const failures: string[] = [];
  const backUp: BackUp = async ({ signal: _, ...order }) => {
    orders.push(order);
    const failure = failures.shift();
    if (failure !== undefined) throw new Error(failure);
    return made;
  };
  return { orders, failures, backUp };
}

const withBackups = (to: string | null, everyMs = 6 * hour) => ({
  config: (config: TestServer["deps"]["config"]) => {
    Object.assign(config.backup, { to, everyMs, keep: "3d" });
    config.metrics.token = token;
  },
});

async function figures(server: TestServer) {
  const reply = await fetch(`${server.baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await reply.text();
  const value = (name: string) => new RegExp(`^playtest_backup_${name} (\\S+)$`, "m").exec(text)?.[1];
  return { age: value("age_seconds"), failing: value("failing") };
}

onBothDatabases("backups of a server by itself", (serve) => {
  it("are made at once and then at intervals, in the folder and by the rule of the configuration", async () => {
    const [to, { backUp, orders }] = [freshFolder(), maker()];
    const server = await serve({ ...withBackups(to), backUp });
    const stats = operationsOf(server, (await firstAdmin(server)).key).getStats;
    await server.advance(0);
    expect(orders).toEqual([{ to, keep: "3d" }]);
    expect(await stats()).toMatchObject({ lastBackupAt: new Date(server.clock.now()).toISOString(), backupFailing: false });
    await server.advance(6 * hour - 1);
    expect([orders.length, await figures(server)]).toEqual([1, { age: "21599.999", failing: "0" }]);
    await server.advance(1);
    expect([orders.length, await figures(server)]).toEqual([2, { age: "0", failing: "0" }]);
    expect(server.lines.filter((line) => line.includes('"backed up"'))).toHaveLength(2);
  });

  it("that fail are seen in the log, the figures and the metrics, and tried again until one is made", async () => {
    const [to, { backUp, orders, failures }] = [freshFolder(), maker()];
    const server = await serve({ ...withBackups(to), backUp });
    const admin = operationsOf(server, (await firstAdmin(server)).key);
    await server.advance(0);
    failures.push("the disk is full", "the disk is full");
    await server.advance(6 * hour);
    expect(await admin.getStats()).toMatchObject({ backupFailing: true });
    expect(await figures(server)).toEqual({ age: "21600", failing: "1" });
    expect(server.lines.filter((line) => line.includes("backing up fails"))).toEqual([
      expect.stringContaining("The newest reason: the disk is full"),
    ]);
    await server.advance(15 * minute);
    expect(await admin.getStats()).toMatchObject({ backupFailing: true });
    await server.advance(15 * minute);
    expect([orders.length, await admin.getStats()]).toEqual([4, expect.objectContaining({ backupFailing: false })]);
    expect(server.lines.filter((line) => line.includes("backing up works again"))).toHaveLength(1);
  });

  it("do not begin in a folder that is not there, such as a disk that is not mounted", async () => {
    const [to, { backUp, orders }] = [freshFolder(), maker()];
    rmSync(to, { recursive: true });
    const server = await serve({ ...withBackups(to), backUp });
    await server.advance(0);
    expect(orders).toEqual([]);
    expect(server.lines.join("\n")).toContain(`${to} does not exist. Create it, or mount its disk.`);
    expect((await figures(server)).failing).toBe("1");
  });

  it("are overdue when none was made for twice as long as there should be between two", async () => {
    const { backUp } = maker();
    const server = await serve({ ...withBackups(freshFolder()), backUp });
    await server.advance(0);
    server.clock.set(server.clock.now() + 12 * hour);
    expect((await figures(server)).failing).toBe("0");
    server.clock.set(server.clock.now() + 1);
    expect((await figures(server)).failing).toBe("1");
  });

  it("go on while a process that makes none starts beside the one that does", async () => {
    const { backUp, orders } = maker();
    const live = (to: string | null) => ({
      config: (config: TestServer["deps"]["config"]) => {
        withBackups(to).config(config);
        config.sandbox = false;
      },
    });
    const server = await serve({ ...live(freshFolder()), backUp });
    const { store } = server.deps;
    if (!store.shared) return;
    await server.advance(0);
    await server.deps.jobs.stop();
    const other = await startTestServer({ ...live(null), store, clock: server.clock, backUp, instance: "other" });
    expect(await figures(other)).toEqual({ age: "0", failing: "0" });
    await other.advance(7 * hour);
    expect([orders.length, await figures(other)]).toEqual([1, { age: "25200", failing: "0" }]);
    await other.deps.jobs.stop();
    server.deps.jobs.start(server.deps);
    await server.advance(0);
    expect([orders.length, await figures(server)]).toEqual([2, { age: "0", failing: "0" }]);
  });

  it("go on where they were after a restart, and end when they are turned off", async () => {
    const [to, { backUp, orders }] = [freshFolder(), maker()];
    const server = await serve({ ...withBackups(to), backUp });
    await server.advance(hour);
    const { store, clock } = server.deps;
    const again = async (folder: string | null) => {
      const next = await startTestServer({ ...withBackups(folder), store, clock: server.clock, backUp, instance: "next" });
      await next.advance(0);
      return next;
    };
    await server.deps.jobs.stop();
    const second = await again(to);
    expect(orders).toHaveLength(1);
    await second.deps.jobs.stop();
    const other = freshFolder();
    const third = await again(other);
    expect(orders.slice(1)).toEqual([{ to: other, keep: "3d" }]);
    await third.deps.jobs.stop();
    const off = await again(null);
    clock.moveTo(clock.now() + 7 * hour);
    await off.advance(0);
    expect([orders.length, await figures(off)]).toEqual([2, { age: undefined, failing: undefined }]);
  });
});
