import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import type { Call } from "../load.ts";
import { median } from "../measure.ts";

/** Seconds of a run. Shorter runs are for trying the benchmark only. */
export const seconds = Number(process.env.PLAYTEST_BENCH_SECONDS ?? 20);
const connections = 64;

/** One run against a server that was just started. Times in ms, rates a second. */
export interface Sustained {
  perSecond: number;
  firstSecond: number;
  p50: number;
  p99: number;
  /** Of reads alone; 0 without any. */
  p99OfReads: number;
  worst: number;
  worstOfFirstSecond: number;
  /** Microseconds of CPU time that the process of the server took for a request. */
  cpu: number;
}

/** CPU time that a process and its threads took, in microseconds. A tick of the kernel's counters is 10 ms. */
export function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Sends calls over 64 connections for the time of a run, or until there are no more. Every reply must be 200 for a read, 201 for a write. */
export async function sustain(
  { baseUrl, pid }: { baseUrl: string; pid: number },
  callOf: (index: number) => Call | undefined,
): Promise<Sustained> {
  const agent = new Agent({ connections, pipelining: 1 });
  const times: number[] = [];
  const reads: number[] = [];
  let [next, inFirstSecond, worstOfFirstSecond] = [0, 0, 0];
  const cpuBefore = cpuTime(pid);
  const started = performance.now();
  const worker = async () => {
    for (let call = callOf(next++); call && performance.now() - started < seconds * 1000; call = callOf(next++)) {
      const sent = performance.now();
      const { method, path, body = null } = call;
      const headers = { ...call.headers, "idempotency-key": randomUUID() };
      const reply = await request(baseUrl + path, { method, headers, body, dispatcher: agent });
      if (reply.statusCode !== (method === "GET" ? 200 : 201))
        throw new Error(`${method} ${path}: ${reply.statusCode} ${(await reply.body.text()).slice(0, 300)}`);
      await reply.body.dump();
      const ended = performance.now();
      times.push(ended - sent);
      if (method === "GET") reads.push(ended - sent);
      if (sent - started >= 1000) continue;
      worstOfFirstSecond = Math.max(worstOfFirstSecond, ended - sent);
      if (ended - started < 1000) inFirstSecond++;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const perSecond = times.length / ((performance.now() - started) / 1000);
  const cpu = (cpuTime(pid) - cpuBefore) / times.length;
  await agent.close();
  const at = share(times);
  return {
    perSecond,
    firstSecond: inFirstSecond,
    p50: at(0.5),
    p99: at(0.99),
    p99OfReads: share(reads)(0.99) ?? 0,
    worst: at(1),
    worstOfFirstSecond,
    cpu,
  };
}

function share(times: number[]): (part: number) => number {
  times.sort((a, b) => a - b);
  return (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))]!;
}

/** The median of each figure of several runs. */
export function medians(runs: readonly Sustained[]): Sustained {
  const names = Object.keys(runs[0]!) as (keyof Sustained)[];
  return Object.fromEntries(names.map((name) => [name, median(runs.map((run) => run[name]))])) as unknown as Sustained;
}
