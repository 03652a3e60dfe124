import { Client as Database } from "pg";
import { sha256 } from "../helpers/tus.ts";
import type { Client } from "./client.ts";
import { type Place, run, where } from "./processes.ts";
import type { Acknowledged, Market } from "./traffic.ts";
import { present } from "./versions.ts";

interface World {
  client: Client;
  market: Market;
  done: Acknowledged;
  place: Place;
  /** How often each event arrived at the webhook. */
  arrived: ReadonlyMap<string, number>;
}

/** What was acknowledged and is not there, what is there twice, and what else is wrong after an upgrade. In words. */
export async function faultsIn(world: World): Promise<string[]> {
  const { client, market, done } = world;
  const { key } = market.owner;
  const orders = await client.list(`/games/${market.gameId}/playtests`, "playtests", key);
  const submissions = await client.list<{ slot: { id: string } }>("/playtests/submissions?status=accepted", "submissions", key);
  return [
    ...compare(
      "orders",
      done.orders,
      orders.map(({ id }) => id),
    ),
    ...compare(
      "accepted submissions",
      done.accepted,
      submissions.map(({ slot }) => slot.id),
    ),
    ...(await buildFaults(world)),
    ...(await eventFaults(world)),
    ...(await jobFaults(world.place)),
    ...(await doctorFaults(world.place)),
  ];
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

const query = async <Row>({ databaseUrl }: Place, sql: string): Promise<Row[]> => {
  const database = new Database({ connectionString: databaseUrl });
  await database.connect();
  try {
    return (await database.query(sql)).rows as Row[];
  } finally {
    await database.end();
  }
};

/** How many jobs and deliveries are due, and are not done yet. */
export async function countDue(place: Place): Promise<number> {
  const now = Date.now();
  const [row] = await query<{ n: string }>(
    place,
    `SELECT (SELECT COUNT(*) FROM jobs WHERE state = 'queued' AND run_at <= ${now})
          + (SELECT COUNT(*) FROM webhook_deliveries WHERE state = 'pending') AS n`,
  );
  return Number(row!.n);
}

async function jobFaults(place: Place): Promise<string[]> {
  const failed = await query<{ kind: string; state: string; last_error: string; count: string }>(
    place,
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
