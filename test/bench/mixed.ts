import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, load } from "./load.ts";
import { type Figure, inTurn } from "./measure.ts";
import { api, grantCredit } from "./order.ts";
import { type Served, serveDemo, servePeer } from "./serve.ts";

const games = 10_000;
const perRun = 20_000;
const writeEveryMs = 5;

/** `mixed`: reads spread over 10,000 games while an order or a change of a game is written every 5 ms, against a bare handler. */
export async function mixed(): Promise<Figure[]> {
  const served = await serveDemo([], { games: { maxPerAccount: 2 * games } });
  const bare = await servePeer("peers/read-peer.ts", ["bare", join(served.dataDir, "playtest.db")]);
  try {
    for (let grant = 0; grant < 60; grant++) await grantCredit(served, 1_000_000);
    const ids = await makeGames(served);
    const reads = async (baseUrl: string) => {
      const make = (index: number) => call(served, "GET", `/games/${ids[(index * 7919) % games]}`);
      const result = await load(baseUrl, { connections: 32, count: perRun, make });
      if (result.statuses[200] !== perRun) throw new Error(`reads: ${JSON.stringify(result.statuses)}`);
      return result.perSecond;
    };
    const rates = await inTurn([
      { name: "playtest", run: () => duringWrites(served, ids, () => reads(served.baseUrl)) },
      { name: "bare", run: () => duringWrites(served, ids, () => reads(bare.baseUrl)) },
    ]);
    const [ours, theirs] = [rates.get("playtest")!, rates.get("bare")!];
    return [
      {
        name: "mixed",
        what: "GET /games/:id of 10,000 during writes, against bare",
        ratio: ours / theirs,
        goal: "≥ 0.9×",
        met: ours / theirs >= 0.9,
        raw: `${Math.round(ours)} / ${Math.round(theirs)} a second`,
      },
    ];
  } finally {
    await bare.stop();
    await served.stop();
  }
}

function call(served: Served, method: Call["method"], path: string, body?: object): Call {
  const headers = { authorization: `Bearer ${served.ownerKey}`, "content-type": "application/json" };
  return { method, path: `/api/v1${path}`, headers, ...(body && { body: JSON.stringify(body) }) };
}

/** Their ids. */
async function makeGames(served: Served): Promise<string[]> {
  const make = (index: number) =>
    call(served, "POST", "/games", { name: `Game ${index}`, buildUrl: "https://example.com/build", devices: ["PC"] });
  const { statuses } = await load(served.baseUrl, { connections: 32, count: games, make });
  if (statuses[201] !== games) throw new Error(`games: ${JSON.stringify(statuses)}`);
  const ids: string[] = [];
  for (let cursor = ""; ids.length < games; ) {
    const query = `limit=100${cursor && `&cursor=${cursor}`}`;
    const reply = await fetch(`${served.baseUrl}/api/v1/games?${query}`, { headers: call(served, "GET", "").headers });
    const { data, meta } = (await reply.json()) as { data: { games: { id: string }[] }; meta: { cursor: string } };
    ids.push(...data.games.map(({ id }) => id));
    cursor = meta.cursor;
  }
  return ids.slice(0, games);
}

/** Runs `measure` while one write after another is sent, every 5 ms as far as the disk keeps up: by turns an order of a game and a change of one. */
async function duringWrites<T>(served: Served, ids: readonly string[], measure: () => Promise<T>): Promise<T> {
  let writing = true;
  const writes = (async () => {
    for (let index = 0; writing; index++) {
      const path = `/games/${ids[(index * 104_729) % games]}`;
      const [{ status }] = await Promise.all([
        index % 2 === 0
          ? api(served, served.ownerKey, "POST", `${path}/playtests`, {})
          : api(served, served.ownerKey, "PATCH", path, { description: `Change ${index}` }),
        sleep(writeEveryMs),
      ]);
      if (status !== 200 && status !== 201) throw new Error(`a write was answered ${status}`);
    }
  })();
  try {
    return await measure();
  } finally {
    writing = false;
    await writes;
  }
}
