import { join } from "node:path";
import { load } from "./load.ts";
import { type Figure, inTurn } from "./measure.ts";
import { serveDemo, servePeer } from "./serve.ts";

const perRun = 8_000;

/** `read` and `read-peers`: GET /games/:id over 32 connections, against a bare handler, Fastify and Express doing the same work. */
export async function read(): Promise<Figure[]> {
  const served = await serveDemo();
  const database = join(served.dataDir, "playtest.db");
  const peers = await Promise.all(
    ["bare", "fastify", "express"].map((kind) => servePeer("peers/read-peer.ts", [kind, database])),
  );
  try {
    const names = ["playtest", "bare", "fastify", "express"];
    const call = {
      method: "GET" as const,
      path: `/api/v1/games/${served.gameId}`,
      headers: { authorization: `Bearer ${served.ownerKey}` },
    };
    const contenders = [served, ...peers].map(({ baseUrl }, index) => ({
      name: names[index]!,
      run: async () => {
        const result = await load(baseUrl, { connections: 32, count: perRun, make: () => call });
        if (result.statuses[200] !== perRun) throw new Error(`${names[index]}: ${JSON.stringify(result.statuses)}`);
        return result.perSecond;
      },
    }));
    const rates = await inTurn(contenders);
    const ours = rates.get("playtest")!;
    const against = (peer: string, name: string, goal: number): Figure => {
      const ratio = ours / rates.get(peer)!;
      return {
        name,
        what: `GET /games/:id against ${peer}`,
        ratio,
        goal: `≥ ${goal}×`,
        met: ratio >= goal,
        raw: `${Math.round(ours)} / ${Math.round(rates.get(peer)!)} a second`,
      };
    };
    return [against("bare", "read", 0.9), against("fastify", "read-peers", 1), against("express", "read-peers", 2.2)];
  } finally {
    for (const one of [served, ...peers]) await one.stop();
  }
}
