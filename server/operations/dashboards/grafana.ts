import { answered } from "./alerts.ts";

/** A panel of the dashboard: a title, a unit of Grafana, and lines, each an expression of Prometheus and how its legend names it. */
interface Panel {
  title: string;
  unit: "reqps" | "s" | "short" | "bytes" | "percentunit" | "currencyUSD" | "ops";
  lines: readonly (readonly [expression: string, legend: string])[];
}

const panels: readonly Panel[] = [
  { title: "Servers that answer", unit: "short", lines: [['up{job="$job"}', "{{instance}}"]] },
  {
    title: "Requests by status",
    unit: "reqps",
    lines: [["sum by (status) (rate(playtest_requests_total[$__rate_interval]))", "{{status}}"]],
  },
  {
    title: "Time of the API's requests",
    unit: "s",
    lines: [0.5, 0.95, 0.99].map((share) => [
      `histogram_quantile(${share}, sum by (le) (rate(playtest_request_seconds_bucket{${answered}}[$__rate_interval])))`,
      `${share * 100} %`,
    ]),
  },
  {
    title: "Slowest operations: 95 % of their requests",
    unit: "s",
    lines: [
      [
        `topk(5, histogram_quantile(0.95, sum by (operation, le) (rate(playtest_request_seconds_bucket{${answered}}[$__rate_interval]))))`,
        "{{operation}}",
      ],
    ],
  },
  { title: "Jobs that are due or run", unit: "short", lines: [["max by (kind) (playtest_jobs_due)", "{{kind}}"]] },
  { title: "Wait of the first due job", unit: "s", lines: [["max by (kind) (playtest_jobs_due_seconds)", "{{kind}}"]] },
  {
    title: "Runs of jobs by how they ended",
    unit: "ops",
    lines: [["sum by (outcome) (rate(playtest_job_seconds_count[$__rate_interval]))", "{{outcome}}"]],
  },
  { title: "Jobs that failed for good", unit: "short", lines: [["max by (kind) (playtest_jobs_dead)", "{{kind}}"]] },
  { title: "Age of the last good backup", unit: "s", lines: [["max(playtest_backup_age_seconds)", "age"]] },
  { title: "Emails that are not sent", unit: "short", lines: [["max by (state) (playtest_mails_undelivered)", "{{state}}"]] },
  {
    title: "Webhook deliveries that wait",
    unit: "short",
    lines: [["max by (state) (playtest_webhook_deliveries_waiting)", "{{state}}"]],
  },
  {
    title: "Uploads",
    unit: "bytes",
    lines: [["max(playtest_uploads_open_bytes)", "not complete"]],
  },
  {
    title: "Stored files and free space",
    unit: "bytes",
    lines: [
      ["max by (kind) (playtest_stored_bytes)", "{{kind}}"],
      ["min(playtest_disk_free_bytes)", "free"],
    ],
  },
  {
    title: "Crypto payments without an order",
    unit: "currencyUSD",
    lines: [["max(playtest_ledger_suspense_cents) / 100", "held"]],
  },
  { title: "Event streams", unit: "short", lines: [["sum(playtest_event_streams)", "open"]] },
  {
    title: "Database",
    unit: "short",
    lines: [
      ['sum(rate(playtest_database{what=~"writes|commits"}[$__rate_interval])) by (what)', "{{what}} per second"],
      ['sum(playtest_database{what=~"connections|idle|waiting"}) by (what)', "{{what}}"],
    ],
  },
  {
    title: "Processes",
    unit: "percentunit",
    lines: [['rate(process_cpu_seconds_total{job="$job"}[$__rate_interval])', "CPU of {{instance}}"]],
  },
  { title: "Memory", unit: "bytes", lines: [['process_resident_memory_bytes{job="$job"}', "{{instance}}"]] },
  { title: "Delay of the event loop", unit: "s", lines: [['nodejs_eventloop_lag_p99_seconds{job="$job"}', "{{instance}}"]] },
];

/** Every expression of the dashboard. */
export const dashboardExpressions = panels.flatMap(({ lines }) => lines.map(([expression]) => expression));

/** Three panels a row, on Grafana's grid of 24 columns. */
const [width, height] = [8, 8];

/** A dashboard for Grafana, as the JSON model that it imports. The data source and the name of the job are chosen there. */
export function grafanaDashboard(job: string): string {
  const datasource = { type: "prometheus", uid: "$datasource" };
  return `${JSON.stringify(
    {
      title: "Playtest",
      uid: "playtest-server",
      tags: ["playtest"],
      timezone: "browser",
      schemaVersion: 39,
      refresh: "30s",
      time: { from: "now-6h", to: "now" },
      templating: {
        list: [
          { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
          { name: "job", label: "Job of Prometheus", type: "textbox", query: job, current: { text: job, value: job } },
        ],
      },
      panels: panels.map(({ title, unit, lines }, index) => ({
        id: index + 1,
        type: "timeseries",
        title,
        datasource,
        gridPos: { x: (index % 3) * width, y: Math.floor(index / 3) * height, w: width, h: height },
        fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: "never" } }, overrides: [] },
        options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
        targets: lines.map(([expr, legendFormat], line) => ({
          refId: String.fromCharCode(65 + line),
          datasource,
          expr,
          legendFormat,
        })),
      })),
    },
    null,
    2,
  )}\n`;
}
