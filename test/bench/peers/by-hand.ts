import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createIds } from "../../../server/lib/ids.ts";
import { Database } from "../../helpers/sqlite.ts";
import { createByHandWork, Refused, type Work } from "./by-hand-work.ts";

/**
 * `by-hand.ts FILE`: orders, claims and reads of a game as one would write them for one database and nothing else. It hashes the key,
 * validates, answers a repeated idempotency key from the stored reply, writes the same rows to the same tables, and commits what is waiting
 * together with full syncing. Prints its port.
 */
const groupSize = 64;
const db = new Database(process.argv[2]!);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.pragma("foreign_keys = ON");
const work = createByHandWork(
  db,
  createIds(Date.now, (count) => randomBytes(count)),
);
const [begin, commit, rollback] = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"].map((sql) => db.prepare(sql));

interface Waiting {
  run: () => string;
  response: ServerResponse;
}

const waiting: Waiting[] = [];
let running = false;

function enqueue(run: () => string, response: ServerResponse): void {
  waiting.push({ run, response });
  if (running) return;
  running = true;
  setImmediate(commitGroup);
}

function commitGroup(): void {
  const group = waiting.splice(0, groupSize);
  try {
    begin!.run();
    const bodies = group.map(({ run }) => run());
    commit!.run();
    for (const [index, { response }] of group.entries()) send(response, 201, bodies[index]!);
  } catch (error) {
    if (db.inTransaction) rollback!.run();
    for (const { response } of group)
      send(response, error instanceof Refused ? error.status : 500, JSON.stringify({ error: String(error) }));
  }
  running = waiting.length > 0;
  if (running) setImmediate(commitGroup);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "X-Request-Id": `req_${randomBytes(10).toString("hex")}`,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = text === "" ? {} : (JSON.parse(text) as unknown);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Refused(400);
  return body as Record<string, unknown>;
}

const orderPath = /^\/api\/v1\/games\/([0-9a-f-]{36})\/playtests$/;
const claimPath = /^\/api\/v1\/playtester\/playtests\/([0-9a-f-]{36})\/claim$/;
const gamePath = /^\/api\/v1\/games\/([0-9a-f-]{36})$/;

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash("sha256")
    .update(request.headers.authorization?.slice("Bearer ".length) ?? "")
    .digest("hex");
  const [url, method] = [request.url ?? "", request.method];
  const read = method === "GET" && gamePath.exec(url);
  if (read) return send(response, 200, work.game(hash, read[1]!));
  const ordered = method === "POST" && orderPath.exec(url);
  const claimed = method === "POST" && claimPath.exec(url);
  if (!ordered && !claimed) throw new Refused(404);
  const body = await bodyOf(request);
  const key = request.headers["idempotency-key"] as string | undefined;
  const make: Work = ordered ? work.order(hash, ordered[1]!, body) : work.claim(hash, (claimed as RegExpExecArray)[1]!, body);
  const stored = key === undefined ? undefined : work.stored(make.userId, key);
  if (stored !== undefined) return send(response, 201, stored);
  enqueue(() => work.keep(make, key), response);
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) =>
    send(response, error instanceof Refused ? error.status : 500, JSON.stringify({ error: String(error) })),
  );
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.on("SIGTERM", () => process.exit(0));
