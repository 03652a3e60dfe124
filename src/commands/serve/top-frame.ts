import { bytes, duration, oneLine, plural } from "../../io/text.ts";

/** What a server told at one moment, in the text format of Prometheus. */
export interface Sample {
  /** Milliseconds. */
  at: number;
  metrics: readonly Metric[];
}

interface Metric {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface Frame {
  /** Over how many seconds requests and latencies are averaged: since the sample before, or since the server started. */
  seconds: number;
  requestsPerSecond: number;
  /** The slowest first. */
  operations: { operation: string; perSecond: number; meanMs: number; p95Ms: number }[];
  /** The kinds of background jobs that wait, those that are due for longest first. */
  queues: { kind: string; due: number; queued: number; oldestSeconds: number; failed: number }[];
  deliveries: Record<string, number>;
  mails: Record<string, number>;
  uploads: { open: number; bytes: number };
  diskFreeBytes: number;
  eventStreams: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): Metric[] {
  return text.split("\n").flatMap((each) => {
    const [, name, labels = "", value] = line.exec(each) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(label)].map(([, key, quoted]) => [key!, quoted!.replace(/\\(.)/g, "$1")] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value === "+Inf" ? Infinity : value) }];
  });
}

/** The sums of a metric by one of its labels. */
function byLabel({ metrics }: Sample, name: string, of: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { name: each, labels, value } of metrics)
    if (each === name) sums.set(labels[of] ?? "", (sums.get(labels[of] ?? "") ?? 0) + value);
  return sums;
}

const total = (sample: Sample, name: string) => [...byLabel(sample, name, "").values()].reduce((sum, value) => sum + value, 0);

/** How much a counter grew. One that is smaller than before is that of a server that was started again. */
function growth(now: number | undefined, before: number | undefined): number {
  const [to, from] = [now ?? 0, before ?? 0];
  return to < from ? to : to - from;
}

/** The upper bound in ms of the bucket below which 95 of 100 requests are; the largest bound that is known if they are above all. */
function p95Ms(now: Sample, before: Sample | undefined, operation: string): number {
  const counts = (sample: Sample | undefined) =>
    new Map(
      sample?.metrics
        .filter(({ name, labels }) => name === "playtest_request_seconds_bucket" && labels.operation === operation)
        .map(({ labels, value }) => [labels.le === "+Inf" ? Infinity : Number(labels.le), value]),
    );
  const earlier = counts(before);
  const buckets = [...counts(now)].map(([bound, count]) => [bound, growth(count, earlier.get(bound))] as const);
  const all = Math.max(0, ...buckets.map(([, count]) => count));
  const reached = buckets.filter(([, count]) => count >= all * 0.95).map(([bound]) => bound);
  const known = buckets.map(([bound]) => bound).filter(Number.isFinite);
  return Math.min(Math.min(...reached), Math.max(0, ...known)) * 1000;
}

/** What happened since the sample before. Without one, since the server started. */
export function frameOf(now: Sample, before?: Sample): Frame {
  const since = before?.at ?? total(now, "process_start_time_seconds") * 1000;
  const seconds = Math.max(0.001, (now.at - since) / 1000);
  const grown = (name: string) => {
    const earlier = before && byLabel(before, name, "operation");
    return new Map([...byLabel(now, name, "operation")].map(([of, value]) => [of, growth(value, earlier?.get(of))]));
  };
  const [counts, sums] = [grown("playtest_request_seconds_count"), grown("playtest_request_seconds_sum")];
  const operations = [...counts]
    .filter(([, count]) => count > 0)
    .map(([operation, count]) => ({
      operation,
      perSecond: count / seconds,
      meanMs: ((sums.get(operation) ?? 0) / count) * 1000,
      p95Ms: p95Ms(now, before, operation),
    }))
    .sort((a, b) => b.p95Ms - a.p95Ms || b.meanMs - a.meanMs);
  return {
    seconds,
    requestsPerSecond: [...counts.values()].reduce((sum, count) => sum + count, 0) / seconds,
    operations,
    queues: queuesOf(now),
    deliveries: Object.fromEntries(byLabel(now, "playtest_webhook_deliveries_waiting", "state")),
    mails: Object.fromEntries(byLabel(now, "playtest_mails_undelivered", "state")),
    uploads: { open: total(now, "playtest_uploads_open"), bytes: total(now, "playtest_uploads_open_bytes") },
    diskFreeBytes: total(now, "playtest_disk_free_bytes"),
    eventStreams: total(now, "playtest_event_streams"),
  };
}

function queuesOf(now: Sample): Frame["queues"] {
  const [due, queued, oldest, failed] = ["due", "queued", "due_seconds", "dead"].map((name) =>
    byLabel(now, `playtest_jobs_${name}`, "kind"),
  ) as [Map<string, number>, Map<string, number>, Map<string, number>, Map<string, number>];
  const of = (kind: string) => ({
    kind,
    due: due.get(kind) ?? 0,
    queued: queued.get(kind) ?? 0,
    oldestSeconds: oldest.get(kind) ?? 0,
    failed: failed.get(kind) ?? 0,
  });
  return [...new Set([...queued.keys(), ...failed.keys()])]
    .map(of)
    .sort((a, b) => b.oldestSeconds - a.oldestSeconds || b.failed - a.failed || b.queued - a.queued);
}

const shownOperations = 8;
const shownQueues = 6;
const rate = (perSecond: number) => (perSecond >= 100 ? String(Math.round(perSecond)) : perSecond.toFixed(1));
const ms = (value: number) => (value >= 100 ? String(Math.round(value)) : value.toFixed(1));

/** Rows as columns: the first to the left, the others to the right. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  "));
}

const counts = (of: Readonly<Record<string, number>>) =>
  Object.entries(of)
    .map(([state, count]) => `${count} ${oneLine(state)}`)
    .join(", ") || "none";

/** The lines of a frame, no more than fit on a small terminal. */
export function frameLines(frame: Frame, url: string): string[] {
  const operations = frame.operations.slice(0, shownOperations);
  const queues = frame.queues.slice(0, shownQueues);
  const operationRows = operations.map(({ operation, perSecond, meanMs, p95Ms: p95 }) => [
    ...[oneLine(operation), rate(perSecond), ms(meanMs), ms(p95)],
  ]);
  const queueRows = queues.map(({ kind, due, queued, oldestSeconds, failed }) => [
    ...[oneLine(kind), String(due), duration(Math.round(oldestSeconds)), String(queued), String(failed)],
  ]);
  const { open, bytes: size } = frame.uploads;
  return [
    `${oneLine(url)}  ${rate(frame.requestsPerSecond)} requests/s over ${duration(Math.max(1, Math.round(frame.seconds)))}, ${plural(frame.eventStreams, "event stream")}`,
    `Disk: ${bytes(frame.diskFreeBytes)} free. Uploads under way: ${open} (${bytes(size)}).`,
    `Webhook deliveries: ${counts(frame.deliveries)}. Emails not delivered: ${counts(frame.mails)}.`,
    "",
    ...columns([["SLOWEST OPERATIONS", "PER SECOND", "MEAN MS", "P95 MS"], ...operationRows]),
    "",
    ...(queueRows.length === 0 ? ["QUEUES  none"] : columns([["QUEUES", "DUE", "OLDEST", "QUEUED", "FAILED"], ...queueRows])),
  ];
}
