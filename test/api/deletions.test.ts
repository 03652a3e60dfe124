import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { find } from "../../server/accounts/users-store.ts";
import { deletionLine, deletionsFile, parseDeletions } from "../../server/operations/backups/deletion-list.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, giveCredit, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const to = (folder: string) => ({
  config: (config: TestServer["deps"]["config"]) => {
    config.backup.to = folder;
  },
});

onBothDatabases("deleted accounts and backups", (serve, it) => {
  it("are listed beside the backups, also when their disk was away for a time", async () => {
    const folder = freshFolder();
    const server = await serve(to(folder));
    const admin = await firstAdmin(server);
    const [first, second] = [await registerPlaytester(server), await registerOwner(server)];
    const at = server.clock.now();
    const remove = ({ id }: { id: string }) => admin.delete(`/admin/users/${id}`);
    expect((await remove(first)).status).toBe(200);
    // No job has run yet.
    const path = join(folder, deletionsFile);
    const listed = () => readFileSync(path, "utf8");
    expect([...parseDeletions(listed())!]).toEqual([[first.id, at]]);
    const before = listed();
    await server.advance(60_000);
    expect(listed()).toBe(before);
    rmSync(folder, { recursive: true });
    expect((await remove(second)).status).toBe(200);
    await server.advance(60_000);
    expect(server.lines.filter((line) => line.includes("listing deleted accounts beside the backups fails"))).toHaveLength(1);
    mkdirSync(folder);
    await server.advance(3_600_000);
    expect([...parseDeletions(readFileSync(path, "utf8"))!]).toEqual([[second.id, at + 60_000]]);
  });

  it("are listed anew after a restored backup brought them back", async () => {
    const folder = freshFolder();
    const server = await serve(to(folder));
    const admin = await firstAdmin(server);
    const { id } = await registerPlaytester(server);
    const path = join(folder, deletionsFile);
    const at = server.clock.now();
    writeFileSync(path, deletionLine(id, at - 86_400_000));
    expect((await admin.delete(`/admin/users/${id}`)).status).toBe(200);
    expect([...parseDeletions(readFileSync(path, "utf8"))!]).toEqual([[id, at]]);
  });

  it("are listed when their own request is answered", async () => {
    const folder = freshFolder();
    const server = await serve(to(folder));
    const person = await registerPlaytester(server);
    const deleted = await person.post("/auth/delete-account", { password: "correct horse" });
    expect(deleted.status).toBe(200);
    const list = parseDeletions(readFileSync(join(folder, deletionsFile), "utf8"))!;
    expect([...list.keys()]).toEqual([person.id]);
  });

  it("leave no job behind where nobody makes backups", async () => {
    const server = await serve();
    const person = await registerPlaytester(server);
    expect((await person.post("/auth/delete-account", { password: "correct horse" })).status).toBe(200);
    const jobs = await server.deps.store.read((q) => q.all<{ kind: string }>("SELECT kind FROM jobs"));
    expect(jobs.map(({ kind }) => kind)).not.toContain("list-deletion");
  });

  it("are answered while the disk of the backups hangs", async () => {
    const folder = freshFolder();
    const server = await serve(to(folder));
    const admin = await firstAdmin(server);
    const { id } = await registerPlaytester(server);
    const path = join(folder, deletionsFile);
    // Whoever reads it waits until somebody writes.
    execFileSync("mkfifo", [path]);
    const at = server.clock.now();
    try {
      expect((await admin.delete(`/admin/users/${id}`)).status).toBe(200);
      expect(server.lines.filter((line) => line.includes("could not be written within 2 seconds"))).toHaveLength(1);
    } finally {
      // The write that hangs sees its line and ends.
      await writeFile(path, deletionLine(id, at));
      rmSync(path);
    }
    await server.advance(3_600_000);
    expect([...parseDeletions(readFileSync(path, "utf8"))!]).toEqual([[id, at]]);
  });

  it("are deleted again by a server that starts with their list, or suspended while something is pending", async () => {
    const server = await serve();
    const admin = await firstAdmin(server);
    const [plain, busy, other] = [await registerPlaytester(server), await registerOwner(server), await registerOwner(server)];
    await giveCredit(server, busy, 10_000);
    const playtest = await order(busy, await createGame(busy));
    const list = join(server.deps.dataDir, deletionsFile);
    const unknown = "019a0000-0000-7000-8000-00000000ffff";
    writeFileSync(list, [plain.id, busy.id, unknown].map((id) => deletionLine(id, 0)).join(""));
    await server.deps.jobs.stop();
    const { store, dataDir } = server.deps;
    const next = await startTestServer({ store, dataDir, clock: server.clock, instance: "next" });
    expect(existsSync(list)).toBe(false);
    const rows = async () => {
      const found = await store.read((q) => Promise.all([plain, busy, other].map(({ id }) => find(q, id))));
      return found.map((user) => [user!.display_name === "Deleted account", user!.suspended_at !== null]);
    };
    expect(await rows()).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    expect((await next.request("GET", "/auth/me", { key: busy.key })).status).not.toBe(200);
    await next.advance(0);
    expect((await rows())[1]).toEqual([false, true]);
    // An operator lets the owner end what is pending.
    await admin.post(`/admin/users/${busy.id}/unsuspend`, {});
    for (const { id } of (await busy.get(`/playtests/${playtest}/slots`)).body.data.slots)
      expect((await busy.delete(`/playtests/slots/${id}`)).status).toBe(200);
    await next.advance(86_400_000);
    expect((await rows())[1]).toEqual([true, true]);
    const { entries } = (await admin.get("/admin/audit")).body.data as { entries: Record<string, unknown>[] };
    const own = entries.filter(({ details }) => String((details as { reason?: string }).reason).includes("backup"));
    expect(own.map(({ action, targetId }) => [action, targetId])).toEqual([
      ["user.delete", busy.id],
      ["user.suspend", busy.id],
      ["user.delete", plain.id],
    ]);
    await next.deps.jobs.stop();
  });
});
