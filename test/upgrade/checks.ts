import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../helpers/postgres-server.ts";
import { sha256 } from "../helpers/tus.ts";
import type { Client } from "./client.ts";
import { type Place, run, where } from "./processes.ts";
import { type Acknowledged, grantedCents, type Market } from "./traffic.ts";
import { present } from "./versions.ts";

interface World {
  client: Client;
  market: Market;
  done: Acknowledged;
  place: Place;
  /** How often each event arrived at the webhook. */
  arrived: ReadonlyMap<string, number>;
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** What was acknowledged and is not there, what is there twice, and what else is wrong after an upgrade. In words. */
export async function faultsIn(world: World): Promise<string[]> {
  const { client, market, done, place } = world;
  const { key } = market.owner;
  // Deliveries that were refused are tried again some seconds later.
  const late = await lateJobs(place);
  const orders = await client.list(`/games/${market.gameId}/playtests`, "playtests", key);
  const submissions = await client.list<{ slot: { id: string } }>("/playtests/submissions?status=accepted", "submissions", key);
  const claims = [];
  for (const tester of market.testers) claims.push(...(await client.list("/playtester/slots", "slots", tester.key)));
  const deleted = await sql<{ id: string }>(place.databaseUrl, "SELECT id FROM users WHERE deleted_at IS NOT NULL");
  return [
    ...nothingOf(done),
    ...compare("orders", idsOf(done.orders), idsOf(orders)),
    ...compare("claims", done.claims, idsOf(claims)),
    ...compare(
      "accepted submissions",
      done.accepted,
      submissions.map(({ slot }) => slot.id),
    ),
    ...compare("messages", done.messages, await messagesIn(world)),
    ...compare("deleted accounts", done.deleted, idsOf(deleted)),
    ...(await balanceFaults(world)),
    ...(await buildFaults(world)),
    ...(await eventFaults(world)),
    ...late,
    ...(await jobFaults(place)),
    ...(await doctorFaults(place)),
  ];
}

/** What says nothing, because none of it was acknowledged. */
const nothingOf = (done: Acknowledged): string[] =>
  Object.entries(done).flatMap(([name, { length }]) => (length === 0 ? [`nothing was proved of ${name}: there were none`] : []));

async function messagesIn({ client, market }: World): Promise<string[]> {
  const { key } = market.owner;
  const contacts = await client.list<{ conversationId: string | null }>("/chat/contacts", "contacts", key);
  const found: string[] = [];
  for (const { conversationId } of contacts)
    if (conversationId) found.push(...idsOf(await client.list(`/chat/conversations/${conversationId}`, "messages", key)));
  return found;
}

async function balanceFaults({ client, market, done }: World): Promise<string[]> {
  const reply = await client.ask("GET /billing/balance", { key: market.owner.key });
  const spent = done.orders.reduce((sum, { cents }) => sum + cents, 0);
  const { balanceCents } = reply!.data;
  return balanceCents === grantedCents - spent ? [] : [`the credit is ${balanceCents}, not ${grantedCents} − ${spent}`];
}

function compare(what: string, expected: readonly string[], found: readonly string[]): string[] {
  const [wanted, there] = [new Set(expected), new Set(found)];
  const lost = [...wanted].filter((one) => !there.has(one));
  const more = [...there].filter((one) => !wanted.has(one));
  return [
    ...(lost.length > 0 ? [`${lost.length} ${what} were acknowledged and are not there: ${lost.slice(0, 3).join(", ")}`] : []),
    ...(more.length > 0 ? [`${more.length} ${what} are there that nobody got a reply for: ${more.slice(0, 3).join(", ")}`] : []),
    ...(found.length > there.size ? [`${found.length - there.size} ${what} are listed twice`] : []),
  ];
}

async function buildFaults({ client, market, done }: World): Promise<string[]> {
  const { key } = market.owner;
  const listed = await client.list<{ id: string; size: number | null }>(`/games/${market.gameId}/builds`, "builds", key);
  const stored: string[] = [];
  for (const { id } of listed.filter(({ size }) => size !== null)) {
    const reply = await client.ask(`GET /games/${market.gameId}/builds/${id}/download-url`, { key });
    const file = await fetch(reply!.data.downloadUrl);
    stored.push(sha256(new Uint8Array(await file.arrayBuffer())));
  }
  return compare("builds", done.builds, stored);
}

async function eventFaults({ client, market, done, arrived }: World): Promise<string[]> {
  const events = (await client.list("/events", "events", market.owner.key)).map(({ id }) => id).reverse();
  const notDelivered = events.filter((id) => !arrived.has(id));
  // The stream began when there were events already.
  const later = events.slice(Math.max(0, events.indexOf(done.streamed[0]!)));
  return [
    ...(notDelivered.length > 0 ? [`${notDelivered.length} of ${events.length} events did not arrive at the webhook`] : []),
    ...compare("events of the stream", later, done.streamed),
  ];
}

/** Waits until no job and no delivery is due; what jobs are late after a minute. */
async function lateJobs({ databaseUrl }: Place): Promise<string[]> {
  const began = Date.now();
  while (Date.now() < began + 60_000) {
    const [row] = await sql<{ n: string }>(
      databaseUrl,
      `SELECT (SELECT COUNT(*) FROM jobs WHERE state = 'queued' AND run_at <= ${Date.now()})
            + (SELECT COUNT(*) FROM webhook_deliveries WHERE state = 'pending') AS n`,
    );
    if (Number(row!.n) === 0) return [];
    await sleep(1_000);
  }
  const late = await sql<{ kind: string; n: string }>(
    databaseUrl,
    `SELECT kind, COUNT(*) AS n FROM jobs WHERE state = 'queued' AND run_at <= ${began} GROUP BY kind`,
  );
  return late.map(({ kind, n }) => `${n} jobs of kind ${kind} are not done a minute after they were due`);
}

async function jobFaults({ databaseUrl }: Place): Promise<string[]> {
  const failed = await sql<{ kind: string; state: string; last_error: string; count: string }>(
    databaseUrl,
    "SELECT kind, state, last_error, COUNT(*) AS count FROM jobs WHERE failures > 0 OR state = 'dead' GROUP BY kind, state, last_error",
  );
  return failed.map(({ kind, state, last_error, count }) => `${count} jobs of kind ${kind} failed (now ${state}): ${last_error}`);
}

async function doctorFaults(place: Place): Promise<string[]> {
  const said = await run(present, place, ["serve", "doctor", "--ledger", "--json", ...where(place)]).catch(
    (error: { stdout: string }) => error.stdout,
  );
  const { result } = JSON.parse(said) as { result: { name: string; ok: boolean; detail: string }[] };
  return result.filter(({ ok }) => !ok).map(({ name, detail }) => `serve doctor: ${name}: ${detail}`);
}
