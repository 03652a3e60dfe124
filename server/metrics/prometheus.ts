import { Counter, collectDefaultMetrics, Histogram, Gauge as PrometheusGauge, Registry } from "prom-client";
import type { Gauge, Metrics } from "./metrics.ts";

/** Upper bounds in seconds. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const jobBuckets = [0.01, 0.1, 0.5, 1, 5, 30, 120, 600, 3600];

/** Metrics in the text format of Prometheus. Labels have few values: never ids, addresses or paths. */
export function createPrometheus(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "playtest_requests_total",
    help: "Requests by operation and status",
    labelNames: ["operation", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "playtest_request_seconds",
    help: "Time until the reply was sent, of event streams and uploads until they ended",
    labelNames: ["operation"],
    buckets: requestBuckets,
    registers,
  });
  const jobs = new Histogram({
    name: "playtest_job_seconds",
    help: "Runs of background jobs by kind and how they ended",
    labelNames: ["kind", "outcome"],
    buckets: jobBuckets,
    registers,
  });
  new PrometheusGauge({ name: "playtest_info", help: "The version that runs", labelNames: ["version"], registers }).set(
    { version },
    1,
  );

  let rendered: readonly Gauge[] = [];
  return {
    request(operation, status, ms) {
      requests.inc({ operation, status });
      seconds.observe({ operation }, ms / 1000);
    },
    job: (kind, outcome, ms) => jobs.observe({ kind, outcome }, ms / 1000),
    async render(gauges) {
      for (const { name } of rendered) registry.removeSingleMetric(name);
      rendered = gauges;
      for (const { name, help, label, values } of gauges) {
        const gauge = new PrometheusGauge({ name, help, labelNames: label === undefined ? [] : [label], registers });
        for (const { of, value } of values) gauge.set(label === undefined ? {} : { [label]: of! }, value);
      }
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
