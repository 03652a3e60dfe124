import { load } from "./load.ts";
import { type Figure, median } from "./measure.ts";
import { api } from "./order.ts";
import { serveDemo, servePeer } from "./serve.ts";

const perRun = 20_000;
const rounds = 5;

/**
 * `hostile`: the 99th percentile of normal reads over 8 connections while another process sends wrong passwords, dripping sockets and
 * deeply nested bodies, against the same without them.
 */
export async function hostile(): Promise<Figure[]> {
  const served = await serveDemo();
  try {
    const { email } = (await api(served, served.ownerKey, "GET", "/auth/me")).data as { email: string };
    const headers = { authorization: `Bearer ${served.ownerKey}` };
    const reads = async () => {
      const make = () => ({ method: "GET" as const, path: `/api/v1/games/${served.gameId}`, headers });
      const { p99, statuses } = await load(served.baseUrl, { connections: 8, count: perRun, make });
      if (statuses[200] !== perRun) throw new Error(`reads: ${JSON.stringify(statuses)}`);
      return p99;
    };
    const attacked = async () => {
      const attacker = await servePeer("peers/attacker.ts", [served.baseUrl, served.ownerKey, email]);
      try {
        return await reads();
      } finally {
        await attacker.stop();
      }
    };
    await reads();
    const [calm, under]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      calm.push(await reads());
      under.push(await attacked());
    }
    const ratio = median(under) / median(calm);
    const raw = `${median(under).toFixed(1)} / ${median(calm).toFixed(1)} ms`;
    return [
      { name: "hostile", what: "p99 of reads under attack against p99 without", ratio, goal: "≤ 5×", met: ratio <= 5, raw },
    ];
  } finally {
    await served.stop();
  }
}
