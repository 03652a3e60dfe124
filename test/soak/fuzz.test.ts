import { expect, it } from "vitest";
import { contract, type Operation } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import type { Person } from "../helpers/factories.ts";
import { type RightfulWorld, rightfulRequests, rightfulWorld } from "../helpers/rightful-requests.ts";
import type { TestServer } from "../helpers/server.ts";
import { withCutter } from "../helpers/walk.ts";
import { type Call, changedCall, generatedCall, operations, type Pool, rightfulCall } from "./calls.ts";
import { type Sample, sample, slope } from "./memory.ts";
import { type ReplyCheck, replyCheck } from "./replies.ts";
import { createRandom, pick } from "./values.ts";

/** After how many calls each database gets no new round, and for how many minutes at most. `npm run soak` sends more than one round. */
const wanted = Number(process.env.PLAYTEST_SOAK_CALLS ?? 1);
const minutes = Number(process.env.PLAYTEST_SOAK_MINUTES ?? 60);
const seed = Number(process.env.PLAYTEST_SEED ?? 15);
const isLong = process.env.PLAYTEST_SOAK_CALLS !== undefined;

/** How many calls are under way at once. */
const width = 32;
/** How many calls follow from each rightful one, and how many are generated once these are sent. */
const variants = isLong ? 12 : 1;
const generated = isLong ? 6_000 : 200;
/** MiB of heap per 100,000 calls. */
const mostGrowth = 4;
/** About 220,000 calls: the growth is that of the second half, and compiled code still grows in the first 100,000. */
const fewestSamples = 25;

/** Operations that end accounts and keys: only those of bystanders. */
const endsAccounts = (operation: Operation) => contract[operation].path.startsWith("/auth/");

onBothDatabases("soak", (serve) => {
  it(
    "generated calls: no unexpected error, no reply outside the OpenAPI document, and each operation succeeds",
    async () => {
      const soak = await Soak.begin(
        await serve({
          resolve: async () => ["127.0.0.1"],
          config(config) {
            config.playtesters.maxReserved = 100_000;
            withCutter(config);
          },
        }),
      );
      const started = Date.now();
      const samples: Sample[] = [];
      while (soak.calls < wanted && Date.now() < started + minutes * 60_000 && soak.faults.size < 50) {
        await soak.useWorld();
        samples.push(await sample(soak.calls));
      }
      const growth = slope(samples, "heap");
      if (isLong) console.log(soak.report(Date.now() - started, samples));
      expect(Object.fromEntries(soak.faults)).toEqual({});
      expect(soak.neverReached()).toEqual([]);
      if (samples.length >= fewestSamples) expect(growth).toBeLessThan(mostGrowth);
      else if (isLong) console.log("too few calls to tell whether memory grows");
    },
    (minutes + 5) * 60_000,
  );
});

/** A part of a text keeps all of it in memory: a few ids kept replies of megabytes, which looked as if the server leaked. */
const copyOf = (text: string) => Buffer.from(text).toString();

class Soak {
  calls = 0;
  /** What was wrong, with how often. */
  readonly faults = new Map<string, number>();
  readonly #server: TestServer;
  readonly #check: ReplyCheck;
  readonly #random = createRandom(seed);
  readonly #succeeded = new Set<string>();
  readonly #statuses = new Map<number, number>();
  /** Rightful requests that could not be prepared, because those of an earlier world used their names. */
  readonly #unprepared = new Set<Operation>();
  #admin: Person | undefined;
  #ids: string[] = [];

  /** The server with every reply checked, also those to the helpers that prepare something. */
  static async begin(server: TestServer): Promise<Soak> {
    // What is tested here is not how long somebody waits who guesses passwords.
    server.deps.wait = async () => {};
    return new Soak(server, replyCheck((await server.request("GET", "/openapi.json")).body));
  }

  private constructor(server: TestServer, check: ReplyCheck) {
    this.#check = check;
    const request: TestServer["request"] = async (method, path, options) => {
      const reply = await server.request(method, path, options);
      if (!path.startsWith("//")) this.#note(method, path, reply, options?.body);
      return reply;
    };
    this.#server = { ...server, request };
  }

  /** Sends the rightful request of every operation, what can be made of it, and then whatever the contract allows. */
  async useWorld(): Promise<void> {
    const world = await rightfulWorld(this.#server, this.#admin);
    const isFirst = this.#admin === undefined;
    this.#admin ??= world.admin;
    const bystanders = [await world.bystander("game_owner"), await world.bystander("playtester")];
    const people = [world.owner, world.playtester, world.admin, ...bystanders];
    const pool = (operation: Operation): Pool => ({ people: endsAccounts(operation) ? bystanders : people, ids: this.#ids });
    // All of them are prepared before one is sent, because some leave things as others cannot use them.
    const prepared: Call[] = [];
    for (const operation of operations) prepared.push(...(await this.#prepared(operation, world, isFirst)));
    const isLast = ({ operation }: Call) => Number(endsAccounts(operation));
    // In the first round nothing may stand in the way of a success. Later, what is about the same things comes before it.
    const calls = (isFirst ? prepared : this.#shuffled(prepared)).sort((a, b) => isLast(a) - isLast(b));
    if (isFirst) for (const call of calls) await this.#send(call);
    const changed = (call: Call) => changedCall(call, this.#random, pool(call.operation));
    const variantsOf = (call: Call) => Array.from({ length: variants }, () => () => changed(call));
    await this.#sendAll(calls.flatMap((call) => [...variantsOf(call), ...(isFirst ? [] : [() => call])]));
    const makers = Array.from({ length: generated }, () => {
      const operation = pick(this.#random, operations);
      return () => generatedCall(operation, this.#random, pool(operation));
    });
    await this.#sendAll(makers);
    // It would stand in the way of whoever claims in the next round.
    await world.admin.delete("/admin/agreement");
    await this.#server.advance(0);
    this.#server.mails.length = 0;
    this.#server.lines.length = 0;
  }

  async #prepared(operation: Operation, world: RightfulWorld, isFirst: boolean): Promise<Call[]> {
    try {
      return [rightfulCall(operation, await rightfulRequests[operation](world))];
    } catch (error) {
      if (isFirst) throw error;
      this.#unprepared.add(operation);
      return [];
    }
  }

  /** Sends them in this order, as many at once as `width` says. */
  async #sendAll(makers: readonly (() => Call)[]): Promise<void> {
    const waiting = makers.values();
    const lane = async () => {
      for (const make of waiting) await this.#send(make());
    };
    await Promise.all(Array.from({ length: width }, lane));
  }

  async #send({ method, path, key, body, headers }: Call): Promise<void> {
    await this.#server.request(method, path, { key, body, headers });
  }

  #note(method: string, path: string, reply: Awaited<ReturnType<TestServer["request"]>>, body: unknown): void {
    this.calls++;
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1);
    const { operation, fault } = this.#check.see(method, path, reply);
    if (operation !== undefined && reply.status < 300) this.#succeeded.add(operation);
    if (reply.status < 300) this.#learn(reply.text);
    if (fault === undefined) return;
    const text = `${operation ?? `${method} ${path}`}: ${fault} (sent ${JSON.stringify(body)?.slice(0, 200)})`;
    this.faults.set(text, (this.faults.get(text) ?? 0) + 1);
  }

  /** Keeps the ids of a reply for later calls, but not that of the administrator, whom nobody replaces. */
  #learn(text: string): void {
    const found = text.match(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g) ?? [];
    const fresh = found
      .slice(0, 20)
      .filter((id) => id !== this.#admin?.id)
      .map(copyOf);
    this.#ids = [...this.#ids, ...fresh].slice(-400);
  }

  #shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, at: this.#random(2 ** 30) }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  }

  neverReached(): string[] {
    return operations.filter((operation) => !this.#succeeded.has(operation));
  }

  report(ms: number, samples: readonly Sample[]): string {
    const statuses = [...this.#statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    const last = samples.at(-1)!;
    const grown = (of: "heap" | "rss") => `${last[of].toFixed(0)} MiB, ${slope(samples, of).toFixed(2)} MiB per 100,000 calls`;
    return [
      `${this.calls} calls in ${(ms / 1000).toFixed(0)} s, seed ${seed}: ${statuses.join(", ")}`,
      `operations that never succeeded: ${this.neverReached().join(", ") || "none"}`,
      `not prepared in later rounds: ${[...this.#unprepared].join(", ") || "none"}`,
      `heap in MiB without garbage, by calls: ${samples.map(({ calls, heap }) => `${calls}: ${heap.toFixed(0)}`).join(", ")}`,
      `heap ${grown("heap")}; RSS ${grown("rss")} (${samples.length} samples)`,
    ].join("\n");
  }
}
