import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { JobKinds } from "../../server/jobs/job.ts";
import { JobRunner } from "../../server/jobs/runner.ts";
import { claim } from "../../server/jobs/store.ts";
import { startProcess } from "../helpers/cluster.ts";
import { order, personWith } from "../helpers/factories.ts";
import { killLeftovers } from "../helpers/process.ts";
import { createTestClock, createTestRandom, nodeAt, startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, freshFolder, type Place } from "../helpers/store.ts";

const postgres = drivers.find((driver) => driver.name === "postgres")!;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await killLeftovers();
});

async function database(): Promise<Place> {
  const place = await postgres.place();
  closing.push(() => place.remove());
  return place;
}

describe("a lease", () => {
  it("holds while its process lives, and a job that lost it changes nothing", async () => {
    const place = await database();
    const clock = createTestClock();
    const store = await openStore(place.options);
    closing.push(() => store.close());
    const log: string[] = [];
    const gate = () => {
      let open = () => {};
      const passed = new Promise<void>((resolve) => {
        open = resolve;
      });
      closing.push(async () => open());
      return { open, passed };
    };
    const [first, second] = [gate(), gate()];
    const work = (name: string, wait: Promise<void>): JobKinds => ({
      async mark(job) {
        log.push(`${name} began`);
        await wait;
        await store.write(async (tx) => {
          await tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", `done by ${name}`, "yes");
          await job.done(tx);
        });
        log.push(`${name} ended`);
      },
    });
    const random = createTestRandom();
    const newId = () => random(16).toString("hex");
    const runners = [
      new JobRunner({ kinds: work("first", first.passed), clock, newId, leaseMs: 45_000 }),
      new JobRunner({ kinds: work("second", second.passed), clock, newId, leaseMs: 45_000 }),
    ];
    const errors: string[] = [];
    const note = () => {};
    const deps = {
      store,
      clock,
      log: { debug: note, info: note, warn: note, error: (fields: { err?: unknown }) => void errors.push(String(fields.err)) },
    };
    // A runner needs no more of a server than these.
    closing.push(() => runners[1]!.stop());
    runners[0]!.start(deps as unknown as TestServer["deps"]);
    await store.write((tx) => runners[0]!.schedule(tx, { kind: "mark", key: "one", payload: {}, runAt: clock.now() }));
    await vi.waitUntil(() => log.includes("first began"), { timeout: 10_000 });
    // The first one takes no more work, and its heart does not beat: the clock stands still for its timers.
    void runners[0]!.stop();

    const due = { due: clock.now(), until: 0, count: 1, kinds: { except: [] } };
    const left = (real: number) => store.write((tx) => claim(tx, { ...due, real, token: "nobody" }));
    clock.set(clock.now() + 44_999);
    expect(await left(clock.real())).toEqual([]);
    clock.set(clock.now() + 1);
    runners[1]!.start(deps as unknown as TestServer["deps"]);
    await vi.waitUntil(() => log.includes("second began"), { timeout: 10_000 });
    first.open();
    await vi.waitUntil(() => errors.length > 0 || log.includes("first ended"), { timeout: 10_000 });
    second.open();
    await vi.waitUntil(() => log.includes("second ended"), { timeout: 10_000 });
    expect(errors.join()).toMatch(/the lease was lost/);
    expect(log).toEqual(["first began", "second began", "second ended"]);
    const rows = await store.read((q) => q.all<{ name: string }>("SELECT name FROM settings WHERE name LIKE 'done by%'"));
    expect(rows).toEqual([{ name: "done by second" }]);
  });
});

const script = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));

interface Transcriber {
  /** Where it says that it began. */
  began: string;
  command: string[];
}

function transcriber(mode: "hang" | "gate", name: string): Transcriber {
  const began = join(freshFolder(), name);
  return { began, command: [process.execPath, script, mode, began] };
}

const hasBegun = ({ began }: Transcriber) => existsSync(began) && readFileSync(began, "utf8").includes(" ");

/** A sandbox of its own process, which is at the transcript of a slot. */
async function transcribing(place: Place, { command, began }: Transcriber) {
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ transcriber: { command } }));
  const { child, ended, baseUrl, ownerKey, gameId } = await startProcess(folder, "ready", place, ["--seed", "demo"]);
  const owner = personWith(nodeAt(baseUrl), ownerKey!, "");
  const playtestId = await order(owner, gameId!);
  const slotId: string = (await owner.get(`/playtests/${playtestId}/slots`)).body.data.slots[0].id;
  await owner.post(`/sandbox/slots/${slotId}/play`, {});
  await vi.waitUntil(() => hasBegun({ command, began }), { timeout: 20_000 });
  return { child, ended, folder, slotId, ownerKey: ownerKey! };
}

/** Another server on the same database and folder, at a time when the lease of the first has run out. */
async function another(place: Place, folder: string, command: string[]): Promise<TestServer> {
  const server = await startTestServer({
    store: await openStore(place.options),
    dataDir: folder,
    instance: "other",
    clock: createTestClock(Date.now() + 59_000),
    config: (config) => void Object.assign(config.transcriber, { command }),
  });
  closing.push(() => server.close());
  return server;
}

const transcriptionOf = async (server: TestServer, key: string, slotId: string) =>
  (await server.request("GET", `/slots/${slotId}`, { key })).body.data.slot.transcription;
const approved = (server: TestServer, key: string, slotId: string) =>
  vi.waitUntil(async () => (await transcriptionOf(server, key, slotId)).status === "approved", { timeout: 20_000, interval: 50 });

describe("a server that is killed", { timeout: 60_000 }, () => {
  it("leaves its job to the other within a minute", async () => {
    const place = await database();
    const hanging = transcriber("hang", "pids");
    const { child, ended, folder, slotId, ownerKey } = await transcribing(place, hanging);
    child.kill("SIGKILL");
    await ended;
    await approved(await another(place, folder, [process.execPath, script, "json"]), ownerKey, slotId);
  });
});

describe("a server that sleeps longer than its lease", { timeout: 60_000 }, () => {
  it("finds its job taken over when it wakes, and its late write is refused", async () => {
    const place = await database();
    const [first, second] = [transcriber("gate", "first"), transcriber("gate", "second")];
    const { child, ended, folder, slotId, ownerKey } = await transcribing(place, first);
    child.kill("SIGSTOP");
    const server = await another(place, folder, second.command);
    await vi.waitUntil(() => hasBegun(second), { timeout: 20_000 });

    writeFileSync(`${first.began}.open`, "");
    child.kill("SIGCONT");
    let said = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    await vi.waitUntil(() => said.includes("the lease was lost"), { timeout: 20_000 });
    expect((await transcriptionOf(server, ownerKey, slotId)).status).toBe("processing");

    writeFileSync(`${second.began}.open`, "");
    await approved(server, ownerKey, slotId);
    const { keyTakeaways } = await transcriptionOf(server, ownerKey, slotId);
    child.kill("SIGTERM");
    expect([keyTakeaways, (await ended).code, server.errors]).toEqual([["second"], 0, []]);
  });
});
