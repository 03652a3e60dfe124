import { Agent, request } from "undici";

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
  statuses: Record<number, number>;
}

/** Sends `count` requests over `connections` keep-alive connections, one at a time on each. Times in ms. */
export async function load(
  baseUrl: string,
  options: { connections: number; count: number; make(index: number): Call },
): Promise<Load> {
  const agent = new Agent({ connections: options.connections, pipelining: 1 });
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < options.count; index = next++) {
      const { method, path, headers, body } = options.make(index);
      const started = performance.now();
      const reply = await request(baseUrl + path, { method, headers, body: body ?? null, dispatcher: agent });
      await reply.body.dump();
      times.push(performance.now() - started);
      statuses[reply.statusCode] = (statuses[reply.statusCode] ?? 0) + 1;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: options.connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  await agent.close();
  times.sort((a, b) => a - b);
  return {
    perSecond: options.count / seconds,
    p50: times[Math.floor(times.length * 0.5)]!,
    p99: times[Math.floor(times.length * 0.99)]!,
    statuses,
  };
}

export interface Call {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
}
