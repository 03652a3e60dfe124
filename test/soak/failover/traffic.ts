import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, fetch } from "undici";
import type { Attempt } from "./record.ts";
import type { Servers } from "./servers.ts";
import { uploadBuild } from "./upload.ts";

/** How long (ms) a client thinks between two requests, and before it repeats one: less than servers ask for, to see when they are back. */
const [thinking, again] = [100, 200];
/** How long (ms) a request is repeated without an answer. */
const patience = 120_000;
/** What each owner has at first. */
export const grantedCents = 100_000_000;

export interface Request {
  what: string;
  method: string;
  path: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: { get(name: string): string | null };
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  data: any;
  meta: { cursor?: string | null };
}

interface Owner {
  key: string;
  gameId: string;
  /** What was acknowledged, by the id of the playtest: what it cost. */
  orders: Map<string, number>;
}

interface Tester {
  key: string;
  /** Ids of slots whose claim was acknowledged. */
  slots: string[];
}

/** A run of the command, which waits and repeats by itself. */
export interface CommandRun {
  ended: number;
  seconds: number;
  code: number;
  stderr: string;
}

/** What clients send while parts fail, and what they were told. */
export class Traffic {
  readonly attempts: Attempt[] = [];
  readonly commands: CommandRun[] = [];
  /** The builds that were stored, as their owners were told. */
  readonly builds: { id: string; sha256: string }[] = [];
  readonly owners: Owner[] = [];
  readonly testers: Tester[] = [];
  /** Orders of the command, which has an owner of its own. */
  readonly ordered: string[] = [];
  /** Why a client stopped too early. */
  readonly faults: string[] = [];
  readonly #servers: Servers;
  readonly #agent: Agent;
  readonly #open: string[] = [];
  #running: Promise<unknown>[] = [];
  #stopped = false;

  constructor(servers: Servers) {
    this.#servers = servers;
    this.#agent = new Agent({ connect: { ca: servers.ca } });
  }

  /** Makes the accounts, and begins to send. */
  async start({ owners, testers }: { owners: number; testers: number }): Promise<void> {
    for (let number = 0; number <= owners; number++) this.owners.push(await this.#newOwner(number));
    for (let number = 0; number < testers; number++)
      this.testers.push({ key: (await this.#newAccount("playtester", number)).key, slots: [] });
    const [commander, ...others] = this.owners as [Owner, ...Owner[]];
    this.#running = [
      ...others.map((owner) => this.#repeat(() => this.#order(owner))),
      ...this.testers.map((tester) => this.#repeat(() => this.#claim(tester))),
      this.#repeat(() => this.#upload(others[0]!)),
      this.#repeat(() => this.#command(commander)),
    ];
  }

  /** Lets everybody finish what they have begun. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  /** How much was acknowledged. */
  counts(): string {
    const orders = this.owners.reduce((sum, { orders: { size } }) => sum + size, 0);
    const claims = this.testers.reduce((sum, { slots: { length } }) => sum + length, 0);
    const slowest = Math.max(0, ...this.commands.map(({ seconds }) => seconds));
    return `${orders} orders, ${claims} claims, ${this.builds.length} builds and ${this.commands.length} commands, the slowest of which took ${slowest.toFixed(1)} s`;
  }

  failedCommands(): string[] {
    return this.commands
      .filter(({ code }) => code !== 0)
      .map(({ code, seconds, stderr }) => `a command ended with ${code} after ${seconds.toFixed(1)} s: ${stderr.trim()}`);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    try {
      while (!this.#stopped) {
        await work();
        await pause(thinking);
      }
    } catch (error) {
      this.faults.push(`a client stopped: ${messages(error)}`);
    }
  }

  /** One request. Records what became of it; a reply of 0 is none. */
  async send({ what, method, path, key, body, headers = {} }: Request): Promise<Reply> {
    const began = performance.now();
    const isBytes = body instanceof Uint8Array;
    const all = {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && !isBytes && { "content-type": "application/json" }),
      ...headers,
    };
    try {
      const url = path.startsWith("https:") ? path : `${this.#servers.publicUrl}/api/v1${path}`;
      const sent = body === undefined ? null : isBytes ? body : JSON.stringify(body);
      const reply = await fetch(url, {
        method,
        headers: all,
        body: sent,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(60_000),
      });
      const text = await reply.text();
      const { status } = reply;
      // Uploads say with 409 and 423 where to go on.
      const asksToWait = reply.headers.has("retry-after") || (path.includes("/uploads/") && (status === 409 || status === 423));
      this.attempts.push({ what, began, ended: performance.now(), status, said: status < 400 ? "" : text, asksToWait });
      return { status, headers: reply.headers, ...parsed(text) };
    } catch (error) {
      const gaveUp = (error as Error).name === "TimeoutError";
      this.attempts.push({ what, began, ended: performance.now(), said: messages(error), asksToWait: false, gaveUp });
      return { status: 0, headers: new Headers(), data: undefined, meta: {} };
    }
  }

  /** Repeats a request, with one idempotency key, until it is answered. Throws where it is refused for good, and after two minutes. */
  async persist(request: Request): Promise<Reply> {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const key: Record<string, string> = isRead ? {} : { "idempotency-key": randomUUID() };
    const latest = performance.now() + patience;
    while (performance.now() < latest) {
      const reply = await this.send({ ...request, headers: { ...key, ...request.headers } });
      if (reply.status > 0 && reply.status < 400) return reply;
      if (reply.status >= 400 && reply.status < 500 && reply.headers.get("retry-after") === null)
        throw new Error(`${request.what} was refused with ${reply.status}: ${JSON.stringify(reply.data)}`);
      await pause(again);
    }
    throw new Error(`${request.what} was not answered for ${patience / 1000} s`);
  }

  async #newAccount(role: string, number: number): Promise<{ key: string; id: string }> {
    const body = { email: `${role}${number}@example.com`, password: "correct horse", role, name: `${role} ${number}` };
    const { data } = await this.persist({ what: "register", method: "POST", path: "/auth/register/api-key", body });
    const { id } = data.user;
    await this.persist({ what: "verify", method: "POST", path: `/admin/users/${id}/verify`, key: this.#servers.adminKey });
    return { key: data.apiKey, id };
  }

  async #newOwner(number: number): Promise<Owner> {
    const { key, id } = await this.#newAccount("game_owner", number);
    const grant = { amountCents: grantedCents, note: "failover" };
    const path = `/admin/users/${id}/credit`;
    await this.persist({ what: "grant", method: "POST", path, key: this.#servers.adminKey, body: grant });
    const body = { name: `Game ${number}`, buildUrl: "https://example.com/build.zip", instructions: "Press start." };
    const { data } = await this.persist({ what: "game", method: "POST", path: "/games", key, body });
    return { key, gameId: data.game.id, orders: new Map() };
  }

  /** Orders, and looks whether the order is there. */
  async #order({ key, gameId, orders }: Owner): Promise<void> {
    const path = `/games/${gameId}/playtests`;
    const { data } = await this.persist({ what: "order", method: "POST", path, key, body: {} });
    orders.set(data.playtest.id, data.totalCents);
    this.#open.push(data.playtest.id);
    await this.persist({ what: "read", method: "GET", path: `/playtests/${data.playtest.id}`, key });
    await this.persist({ what: "list", method: "GET", path: `${path}?limit=20`, key });
  }

  async #claim({ key, slots }: Tester): Promise<void> {
    const playtestId = this.#open.shift();
    if (playtestId === undefined) return pause(thinking);
    const path = `/playtester/playtests/${playtestId}/claim`;
    const { data } = await this.persist({ what: "claim", method: "POST", path, key, body: {} });
    slots.push(data.slot.id);
    await this.persist({ what: "read slot", method: "GET", path: `/playtester/slots/${data.slot.id}`, key });
  }

  async #upload({ key, gameId }: Owner): Promise<void> {
    this.builds.push(await uploadBuild(this, key, gameId));
  }

  /** An order with the command, which knows nothing of any fault and waits as it does by itself. */
  async #command({ key, gameId }: Owner): Promise<void> {
    const began = performance.now();
    const { command, args, env } = this.#servers.client;
    const words = ["playtests", "order", gameId, "--json", "--yes"];
    const [code, stdout, stderr] = await new Promise<[number, string, string]>((resolve) => {
      execFile(command, [...args, ...words], { env: { ...env, PLAYTEST_API_KEY: key } }, (error, out, err) =>
        resolve([error ? Number(error.code ?? 1) : 0, out, err]),
      );
    });
    const ended = performance.now();
    this.commands.push({ ended, seconds: (ended - began) / 1000, code, stderr });
    if (code === 0) this.ordered.push(JSON.parse(stdout).playtest.id);
    await pause(2_000);
  }
}

/** The body of a reply. What is not from the API has no data. */
function parsed(text: string): Pick<Reply, "data" | "meta"> {
  try {
    const { data, meta = {}, error } = JSON.parse(text);
    return { data: data ?? error, meta };
  } catch {
    return { data: undefined, meta: {} };
  }
}

const messages = (error: unknown): string =>
  error instanceof Error ? [error.message, ...(error.cause ? [messages(error.cause)] : [])].join(": ") : String(error);
