import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Deps } from "../../server/app/deps.ts";
import { type Query, type Store, StoreUnavailable } from "../../server/database/port.ts";
import { type Job, type JobKinds, RetryLater } from "../../server/jobs/job.ts";
import { JobRunner } from "../../server/jobs/runner.ts";
import * as jobs from "../../server/jobs/store.ts";
import type { Log } from "../../server/lib/log.ts";
import { gate } from "../helpers/gate.ts";
import { createTestClock, startTime } from "../helpers/server.ts";
import { drivers, type TestStore, withoutDatabaseTime } from "../helpers/store.ts";

const day = 86_400_000;

describe.each(drivers)("background jobs ($name)", ({ name, open }) => {
  let store: TestStore;
  let runner: JobRunner;
  let fixed: boolean;
  let done: string[];
  let tries: number;
  const clock = createTestClock();
  const logged: string[] = [];
  const write = (_: unknown, message?: string) => void logged.push(message ?? "");
  const log: Log = { debug: write, info: write, warn: write, error: write, access: write };

  beforeEach(async () => {
    store = await open();
    [fixed, done, tries] = [false, [], 0];
    let ids = 0;
    const kinds = {
      fragile: async ({ payload }: { payload: Record<string, unknown> }) => {
        tries++;
        if (!fixed) throw new Error("it is broken");
        done.push(String(payload.name));
      },
    };
    const minute = 60_000;
    Object.assign(kinds, {
      patient: async () => {
        tries++;
        if (tries < 40) throw new RetryLater(clock.now() + minute, "not yet");
        if (tries < 43) throw new Error("just now it is broken");
        done.push("patient");
      },
    });
    runner = new JobRunner({ kinds, clock, newId: () => `${startTime}-${ids++}`, leaseMs: 45_000 });
    runner.start({ store, log } as unknown as Deps);
  });
  afterEach(async () => {
    await runner.stop();
    await store.remove();
  });

  const queue = (name: string) =>
    store.write((tx) => runner.schedule(tx, { kind: "fragile", key: name, payload: { name }, runAt: clock.now() }));
  const pass = () => runner.advance(clock.now() + 10 * day, clock.moveTo);

  it("for which a process lacks something are left for a week to others that may share the database", async () => {
    const ran: string[] = [];
    let ids = 0;
    const start = (name: string, lacking: readonly string[]) => {
      const kinds = { film: async () => void ran.push(`${name}: film`), tell: async () => void ran.push(`${name}: tell`) };
      const lacks = (kind: string) => lacking.includes(kind);
      const started = new JobRunner({ kinds, lacks, clock, newId: () => `${name}-${ids++}`, leaseMs: 45_000 });
      started.start({ store, log } as unknown as Deps);
      return started;
    };
    const without = start("without", ["film"]);
    const schedule = (kind: string) =>
      store.write((tx) => without.schedule(tx, { kind, key: "one", payload: {}, runAt: clock.now() }));
    await schedule("film");
    await schedule("tell");
    await without.advance(clock.now() + day, clock.moveTo);
    expect(ran.splice(0)).toEqual(store.shared ? ["without: tell"] : ["without: film", "without: tell"]);
    const other = start("with", []);
    await other.advance(clock.now(), clock.moveTo);
    await other.stop();
    expect(ran.splice(0)).toEqual(store.shared ? ["with: film"] : []);
    await schedule("film");
    clock.set(clock.now() + 7 * day);
    await vi.waitUntil(() => ran.length > 0, { timeout: 60_000 });
    expect(ran).toEqual(["without: film"]);
    await without.stop();
  });

  it("that failed 25 times are logged and listed as dead, and run again only when queued again", async () => {
    await queue("host");
    await pass();
    expect(tries).toBe(25);
    expect(logged.at(-1)).toBe("job failed and will not be retried");
    expect(await store.read(jobs.deadJobs)).toEqual([{ kind: "fragile", count: 1, last_error: "Error: it is broken" }]);
    fixed = true;
    await pass();
    expect(tries).toBe(25);
    await queue("host");
    await pass();
    expect(done).toEqual(["host"]);
    expect(await store.read(jobs.deadJobs)).toEqual([]);
  });

  it("that asked to be run later keep all their attempts for real failures", async () => {
    await store.write((tx) => runner.schedule(tx, { kind: "patient", key: "one", payload: {}, runAt: clock.now() }));
    await pass();
    expect([tries, done]).toEqual([43, ["patient"]]);
  });

  it("that are dead can all be requeued, with all their attempts", async () => {
    for (const name of ["a", "b"]) await queue(name);
    await pass();
    expect(await store.write(jobs.requeueDead)).toBe(2);
    await pass();
    expect(tries).toBe(100);
    fixed = true;
    await store.write(jobs.requeueDead);
    await pass();
    expect(done.sort()).toEqual(["a", "b"]);
  });

  describe("while the database cannot be written", () => {
    const away = (outcomeUnknown = false) => new StoreUnavailable("The disk is full.", { outcomeUnknown });
    /** How writes fail: before anything is written, or after jobs were leased. */
    let broken: "before" | "after" | undefined;
    let waited: number;
    let mine: JobRunner;

    function begin(work: () => void): JobRunner {
      [broken, waited] = [undefined, 0];
      const failing: Store = {
        ...withoutDatabaseTime(store),
        async write(fn, options) {
          if (broken === "before") throw away();
          const value = await store.write(fn, options);
          if (broken !== "after" || !Array.isArray(value) || value.length === 0) return value;
          broken = undefined;
          throw away(true);
        },
      };
      // Whoever waits finds the database back.
      const wait = async () => {
        waited++;
        broken = undefined;
      };
      let ids = 0;
      mine = new JobRunner({ kinds: { one: async () => work() }, clock, newId: () => `mine-${ids++}`, leaseMs: 45_000 });
      mine.start({ store: failing, log, wait, draining: new AbortController().signal } as unknown as Deps);
      return mine;
    }
    const queueOne = () => store.write((tx) => mine.schedule(tx, { kind: "one", key: "1", payload: {}, runAt: clock.now() }));
    const rows = () => store.read((q) => q.all("SELECT failures, lease_until AS until FROM jobs WHERE kind = 'one'"));
    afterEach(() => mine.stop());

    it("are put back as soon as it can be again, instead of when their lease ends", async () => {
      begin(() => {
        broken = "before";
        throw new Error("it is broken");
      });
      await queueOne();
      await mine.advance(clock.now(), clock.moveTo);
      expect([waited, await rows()]).toEqual([1, [{ failures: 1, until: 0 }]]);
    });

    it("are not run again when only their end could not be stored", async () => {
      begin(() => {
        tries++;
        broken = "before";
      });
      await queueOne();
      await mine.advance(clock.now(), clock.moveTo);
      expect([waited, tries, await rows()]).toEqual([1, 1, []]);
    });

    it("are free again when the connection was lost while they were leased", async () => {
      begin(() => void tries++);
      await queueOne();
      broken = "after";
      await mine.advance(clock.now(), clock.moveTo).catch(() => {});
      await mine.advance(clock.now(), clock.moveTo);
      expect([tries, await rows()]).toEqual([1, []]);
    });
  });

  /** Runs the job that `end` ends. SQLite runs one write at a time, so that nothing can be held there. */
  describe("that others add to", () => {
    const held = (until: { passed: Promise<unknown> }) => (name === "postgres" ? until.passed : undefined);
    const hour = 3_600_000;

    async function run(end: (job: Job, look: JobRunner) => Promise<void>) {
      let ids = 0;
      const kinds: JobKinds = { look: (job) => end(job, look) };
      const look: JobRunner = new JobRunner({ kinds, clock, newId: () => `look-${ids++}`, leaseMs: 45_000 });
      look.start({ store, log } as unknown as Deps);
      await store.write((tx) => add(tx, look));
      await look.advance(clock.now(), clock.moveTo);
      await look.stop();
      return store.read((q) => q.all<{ run_at: number }>("SELECT run_at FROM jobs"));
    }
    const add = (tx: Query, look: JobRunner) => look.schedule(tx, { kind: "look", key: "one", payload: {}, runAt: clock.now() });

    it.each(["rows", "serializable"] as const)("do not end before that is committed (%s)", async (isolation) => {
      const [added, free] = [gate(), gate()];
      let adding: Promise<unknown> | undefined;
      const seen: number[] = [];
      const end = (job: Job) =>
        job.endUnless(async (tx) => {
          seen.push(Number((await tx.one<{ n: number }>("SELECT COUNT(*) AS n FROM settings WHERE name = 'added'"))!.n));
          return undefined;
        });
      const left = await run(async (job, look) => {
        if (adding) return end(job);
        adding = store.write(
          async (tx) => {
            await add(tx, look);
            added.open();
            await held(free);
            await tx.run("INSERT INTO settings (name, value) VALUES ('added', '')");
          },
          { isolation },
        );
        await added.passed;
        await end(job);
        free.open();
        await adding;
      });
      expect([seen, left]).toEqual([[1], []]);
    });

    it.each(["rows", "serializable"] as const)("run for that at once, though they were to run later (%s)", async (isolation) => {
      const [begun, ended] = [gate(), gate()];
      let runs = 0;
      const left = await run(async (job, look) => {
        if (++runs === 2) return job.endUnless(async () => undefined);
        const adding = store.write(
          async (tx) => {
            await tx.one("SELECT COUNT(*) AS n FROM settings");
            begun.open();
            await held(ended);
            await add(tx, look);
          },
          { isolation },
        );
        await begun.passed;
        await job.endUnless(async () => clock.now() + hour);
        ended.open();
        await adding;
        // On SQLite it was added before.
        if (name !== "postgres") await store.write((tx) => add(tx, look));
      });
      expect([runs, left]).toEqual([2, []]);
    });
  });

  describe("know that they hold their lease", () => {
    let running: Job;
    let mine: JobRunner;
    let end: () => void;

    /** A job that runs until `end`. */
    async function begin(leaseMs: number): Promise<void> {
      const started = gate<Job>();
      const ended = gate();
      end = ended.open;
      const kinds: JobKinds = {
        async long(job) {
          started.open(job);
          await ended.passed;
        },
      };
      mine = new JobRunner({ kinds, clock, newId: () => "mine", leaseMs });
      mine.start({ store: withoutDatabaseTime(store), log } as unknown as Deps);
      await store.write((tx) => mine.schedule(tx, { kind: "long", key: "one", payload: {}, runAt: clock.now() }));
      running = await started.passed;
    }
    afterEach(async () => {
      end();
      await mine.stop();
    });
    const leaseUntil = async () => (await store.read((q) => q.one<{ at: number }>("SELECT lease_until AS at FROM jobs")))!.at;

    it("until it runs out", async () => {
      await begin(45_000);
      clock.set(clock.now() + 44_999);
      expect(running.isHeld()).toBe(true);
      clock.set(clock.now() + 1);
      expect(running.isHeld()).toBe(false);
    });

    it("as long as it is extended", async () => {
      await begin(30);
      clock.set(clock.now() + 29);
      await vi.waitUntil(async () => (await leaseUntil()) === clock.now() + 30, { timeout: 60_000 });
      await vi.waitUntil(() => running.isHeld(), { timeout: 60_000 });
      clock.set(clock.now() + 29);
      expect(running.isHeld()).toBe(true);
    });

    it("and lose it to whoever has taken it over", async () => {
      await begin(30);
      expect(running.isHeld()).toBe(true);
      await store.write((tx) => tx.run("UPDATE jobs SET lease_token = 'another'"));
      await vi.waitUntil(() => !running.isHeld(), { timeout: 60_000 });
      expect(await leaseUntil()).toBe(clock.now() + 30);
    });
  });
});
