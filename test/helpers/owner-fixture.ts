import { afterEach, beforeEach } from "vitest";
import { playtest, type Ran, type RunOptions } from "./cli.ts";
import { createGame, giveCredit, ledgerFaults, type Person, registerOwner } from "./factories.ts";
import { reusedStore } from "./reused-store.ts";
import { startTestServer, type TestServer } from "./server.ts";

/** An owner with $500.00 and one game, and the command line in their hands: what most tests of commands begin with. */
export interface OwnerFixture {
  server: TestServer;
  owner: Person;
  gameId: string;
  /** Runs one command line, words separated by single spaces; an array where a word holds a space. */
  run(line: string | readonly string[], options?: RunOptions): Promise<Ran>;
  /** The JSON that a command prints; fails when it does not end with 0. */
  json(line: string): Promise<Record<string, never>>;
  /** An order by another way than the command under test. */
  order(body?: Record<string, unknown>): Promise<string>;
  /** Has an event happen; its id. */
  emit(event: string, data?: Record<string, unknown>): Promise<string>;
}

/** A fresh fixture for each test of the file. */
export function eachOwnerFixture(cents = 50_000): OwnerFixture {
  const fixture = {} as OwnerFixture;
  let remove: () => Promise<unknown>;

  beforeEach(async () => {
    const store = await reusedStore();
    remove = () => store.remove();
    const server = await startTestServer({ store });
    const owner = await registerOwner(server);
    if (cents > 0) await giveCredit(server, owner, cents);
    const gameId = await createGame(owner, { buildUrl: `${server.baseUrl}/build.zip` });
    const run: OwnerFixture["run"] = (line, options) =>
      playtest(typeof line === "string" ? line.split(" ") : line, {
        baseUrl: server.baseUrl,
        key: owner.key,
        ...options,
        env: { NO_COLOR: "1", ...options?.env },
      });
    const json: OwnerFixture["json"] = async (line) => {
      const { code, stdout, stderr } = await run(`${line} --json`);
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    };
    const order: OwnerFixture["order"] = async (body = {}) => {
      const reply = await owner.post(`/games/${gameId}/playtests`, body);
      if (reply.status !== 201) throw new Error(`could not order: ${reply.text}`);
      return reply.body.data.playtest.id;
    };
    const emit: OwnerFixture["emit"] = async (event, data) =>
      (await owner.post("/sandbox/events", { event, data })).body.data.event.id;
    Object.assign(fixture, { server, owner, gameId, run, json, order, emit });
  });

  afterEach(async () => {
    const faults = await ledgerFaults(fixture.server);
    await fixture.server.close();
    await remove();
    if (faults.length > 0) throw new Error(faults.join("; "));
  });

  return fixture;
}

/** Text with ids and signed links replaced by what they are, so that it can be compared. */
export const named = (text: string, names: Record<string, string> = {}) => {
  let shown = text;
  for (const [name, id] of Object.entries(names)) shown = shown.replaceAll(id, name).replaceAll(id.slice(-8), name.padEnd(8));
  return shown
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://SERVER");
};
