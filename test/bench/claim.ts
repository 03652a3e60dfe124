import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./load.ts";
import { type Figure, inTurn } from "./measure.ts";
import { api, grantCredit, singleTransactions } from "./order.ts";
import { type Served, serveDemo } from "./serve.ts";
import { writesAgainstByHand } from "./sustained/by-hand.ts";
import { racers } from "./sustained/population.ts";

/** Ten times the 64 who race at a time: each may hold three slots only, and a shorter run measures the compiler. */
const playtesters = 640;
const slots = 100;

/** `claim`: 64 playtesters at a time race for the slots of many playtests; no slot may be had twice. */
export const claim = async (): Promise<Figure[]> => [...(await sustainedClaims()), ...(await againstSingleTransactions())];

const sustainedClaims = () =>
  writesAgainstByHand(
    "claim",
    "claims by 6,400 playtesters",
    { testers: 100 * racers, playtests: 1_600 },
    ({ playtests, testers }) =>
      (index) => {
        const playtest = playtests[Math.floor(index / racers)];
        const path = `/api/v1/playtester/playtests/${playtest}/claim`;
        const headers = { authorization: `Bearer ${testers[index % testers.length]!.key}` };
        return playtest === undefined ? undefined : { method: "POST", path, headers };
      },
  );

async function againstSingleTransactions(): Promise<Figure[]> {
  const served = await serveDemo();
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    for (let grant = 0; grant < 40; grant++) await grantCredit(served, 1_000_000);
    const keys: string[] = [];
    while (keys.length < playtesters) keys.push(...(await newTesters(served, 64)));
    const rates = await inTurn([
      { name: "single", run: async () => singleTransactions(folder) },
      {
        name: "claims",
        run: () => race(served, keys),
      },
    ]);
    const [ours, single] = [rates.get("claims")!, rates.get("single")!];
    return [
      {
        name: "claim",
        what: "racing claims against single transactions",
        ratio: ours / single,
        goal: "≥ 1×",
        met: ours >= single,
        raw: `${Math.round(ours)} / ${Math.round(single)} a second`,
      },
    ];
  } finally {
    await served.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function newTesters(served: Served, count: number): Promise<string[]> {
  const { testers } = (await api(served, "", "POST", "/sandbox/testers", { count })).data as { testers: { apiKey: string }[] };
  return testers.map((tester) => tester.apiKey);
}

/** Every 64 playtesters race in three playtests of their own (the most each may hold), then release; claims a second. */
async function race(served: Served, keys: string[]): Promise<number> {
  const orders: string[] = [];
  for (let index = 0; index < 3 * Math.ceil(keys.length / 64); index++) {
    const order = (await api(served, served.ownerKey, "POST", `/games/${served.gameId}/playtests`, { quantity: slots })).data as {
      playtest: { id: string };
    };
    orders.push(order.playtest.id);
  }
  const calls = orders.flatMap((id, index) =>
    keys.slice(64 * Math.floor(index / 3), 64 * Math.floor(index / 3) + 64).map((key) => ({
      method: "POST" as const,
      path: `/api/v1/playtester/playtests/${id}/claim`,
      headers: { authorization: `Bearer ${key}` },
    })),
  );
  const result = await load(served.baseUrl, { connections: 64, count: calls.length, make: (index) => calls[index]! });
  if (result.statuses[201] !== calls.length) throw new Error(`claims: ${JSON.stringify(result.statuses)}`);
  for (const id of orders) await checkOnceEach(served, id);
  // In groups, because the server limits the connections of one address.
  for (let first = 0; first < keys.length; first += 64)
    await Promise.all(keys.slice(first, first + 64).map((key) => releaseAll(served, key)));
  return result.perSecond;
}

async function checkOnceEach(served: Served, playtestId: string): Promise<void> {
  const { slots: rows } = (await api(served, served.ownerKey, "GET", `/playtests/${playtestId}/slots?limit=100`)).data as {
    slots: { playtester: { id: string } | null }[];
  };
  const holders = rows.flatMap((slot) => (slot.playtester ? [slot.playtester.id] : []));
  if (new Set(holders).size !== 64 || holders.length !== 64) throw new Error("a slot was had twice, or a claim was lost");
}

async function releaseAll(served: Served, key: string): Promise<void> {
  const { slots: held } = (await api(served, key, "GET", "/playtester/slots?limit=100")).data as {
    slots: { id: string; status: string }[];
  };
  for (const slot of held) if (slot.status === "reserved") await api(served, key, "POST", `/playtester/slots/${slot.id}/release`);
}
