import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { doctor } from "../../server/operations/doctor.ts";
import { startProcess } from "../helpers/cluster.ts";
import { giveVideo, order, type Person, personWith, registerPlaytester, videoBytes } from "../helpers/factories.ts";
import type { Fault } from "../helpers/loopback-platform.ts";
import { startPeertube } from "../helpers/peertube.ts";
import { cheapPasswords, killLeftovers } from "../helpers/process.ts";
import { nodeAt } from "../helpers/server.ts";
import { type DatabaseLocation, drivers, freshFolder } from "../helpers/store.ts";
import { startYoutube } from "../helpers/youtube.ts";

const payoutCents = 300;
const mebibyte = 1024 * 1024;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await killLeftovers();
  for (const close of closing.splice(0).reverse()) await close();
});

/** A video of three parts, as platforms take them. */
const longVideo = () => videoBytes(18 * mebibyte);

/** The moments at which the process is killed, one after the other: each time another one goes on. */
const moments: { name: string; kind: "start" | "part"; with: (kill: () => void) => Fault }[] = [
  { name: "the upload is begun there, and not known here", kind: "start", with: (kill) => ({ after: kill }) },
  { name: "in the middle of the first part", kind: "part", with: (kill) => ({ cut: 3 * mebibyte, after: kill }) },
  { name: "a part arrived, and its reply did not", kind: "part", with: (kill) => ({ after: kill }) },
  { name: "in the middle of a part, again", kind: "part", with: (kill) => ({ cut: mebibyte, after: kill }) },
  { name: "the video is made, and its reply did not arrive", kind: "part", with: (kill) => ({ after: kill }) },
];

const platforms = {
  youtube: {
    start: startYoutube,
    settings: (url: string) => ({ clientId: "client", clientSecret: "secret", apiUrl: url }),
    credentials: () => ({ deviceCode: "device-1" }),
  },
  peertube: {
    start: startPeertube,
    settings: () => ({}),
    credentials: (url: string) => ({ instance: url, username: "moon", password: "correct horse" }),
  },
} as const;

describe.each(drivers)("process that is killed with SIGKILL while it uploads ($name)", (driver) => {
  it.each(["youtube", "peertube"] as const)(
    "%s: one video, paid once, and nothing for the doctor, whenever it happens",
    async (adapter) => {
      const { start, settings, credentials } = platforms[adapter];
      const platform = await start();
      const location = driver.name === "postgres" ? await driver.location() : undefined;
      if (location) closing.push(() => location.remove());
      const folder = freshFolder();
      const config = {
        publishing: { to: adapter, [adapter]: settings(platform.url) },
        pricing: { publicPayoutCents: payoutCents },
        passwords: cheapPasswords,
      };
      writeFileSync(join(folder, "config.json"), JSON.stringify(config), { mode: 0o600 });
      let running = await startProcess(folder, location, ["--seed", "minimal"]);
      const { adminKey, ownerKey, gameId } = running;
      const node = nodeAt(running.baseUrl);
      await personWith(node, adminKey!, "").post("/admin/publishers/connect", { adapter, ...credentials(platform.url) });
      const owner = personWith(node, ownerKey!, "");
      const tester = await registerPlaytester(node);
      const slotId = await played(node, tester, await order(owner, gameId!, { visibility: "public" }));

      const killed: string[] = [];
      for (const [index, moment] of moments.entries()) {
        const { child, ended } = running;
        const kill = () => {
          killed.push(moment.name);
          child.kill("SIGKILL");
        };
        platform.faults.push({ kind: moment.kind, fault: moment.with(kill) });
        if (index === 0) await owner.post(`/slots/${slotId}/accept`).catch(() => {});
        await ended;
        await takeOver(location);
        running = await startProcess(folder, location);
      }
      expect(killed).toEqual(moments.map(({ name }) => name));

      const there = nodeAt(running.baseUrl);
      const slot = async () => (await personWith(there, ownerKey!, "").getSlot({ params: { id: slotId } })).slot;
      await vi.waitUntil(async () => (await slot()).status === "accepted", { timeout: 60_000, interval: 100 });
      const { publication } = await slot();
      const [remoteId, size] = [...platform.videos].map(([id, video]) => [id, video.size] as const)[0]!;
      expect([publication!.state, publication!.remoteId!.split("@")[0], publication!.bytesSent]).toEqual([
        "published",
        remoteId,
        size,
      ]);
      expect([platform.videos.size, platform.made.length, size]).toEqual([1, 1, longVideo().length]);
      expect((await personWith(there, tester.key, "").getEarnings()).balanceCents).toBe(payoutCents);
      expect((await running.stop()).code).toBe(0);
      const where = location ? (location.options as { databaseUrl: string }) : {};
      const checks = await doctor({ data: folder, ...where, ledger: true, fix: false, now: Date.now(), env: {} });
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    },
    180_000,
  );
});

async function played(node: ReturnType<typeof nodeAt>, tester: Person, playtestId: string): Promise<string> {
  const { slot } = await tester.claimPlaytest({ params: { id: playtestId } });
  await giveVideo(node, slot.id, tester, longVideo());
  await tester.submitSlot({ params: { id: slot.id } });
  return slot.id;
}

/** Lets the leases of the killed process run out. On SQLite, where only one process serves, the next takes its jobs over at once. */
async function takeOver(location: DatabaseLocation | undefined): Promise<void> {
  if (!location) return;
  const store = await openStore(location.unrestricted);
  await store.write((tx) => tx.run("UPDATE jobs SET lease_until = lease_until - 60000 WHERE lease_until > 0"));
  await store.close();
}
