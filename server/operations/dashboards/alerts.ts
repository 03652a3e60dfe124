import { stringify } from "yaml";

/** A rule of Prometheus: an expression that has a result only while something is wrong. */
interface Alert {
  name: string;
  expression: string;
  /** How long it must be so before anybody is told, in the way of Prometheus. */
  for: string;
  /** `page`: money or playtests wait for somebody. `ticket`: it can wait until tomorrow. */
  severity: "page" | "ticket";
  summary: string;
  /** What to do about it. */
  action: string;
}

/** Requests of the API that end with an answer. Event streams last as long as somebody listens, and pages include uploads and videos. */
export const answered = 'operation!~"listEvents|page|none"';

/** The name of the job in the configuration of Prometheus, by which a server that does not answer is found. */
export const scrapeJob = "playtest";

const alerts: readonly Alert[] = [
  {
    name: "PlaytestDown",
    expression: `up{job="${scrapeJob}"} == 0`,
    for: "2m",
    severity: "page",
    summary: "The server {{ $labels.instance }} does not answer.",
    action: "Look at its log (`journalctl -u playtest`), then run `playtest serve doctor` on its machine.",
  },
  {
    name: "PlaytestErrors",
    expression:
      'sum(rate(playtest_requests_total{status=~"5.."}[5m])) / sum(rate(playtest_requests_total[5m])) > 0.01 and sum(increase(playtest_requests_total{status=~"5.."}[5m])) > 5',
    for: "5m",
    severity: "page",
    summary: "{{ $value | humanizePercentage }} of the requests end with an error of the server.",
    action: "Each has a line in the server's log with its operation and request id.",
  },
  {
    name: "PlaytestSlow",
    expression: `histogram_quantile(0.99, sum by (le) (rate(playtest_request_seconds_bucket{${answered}}[10m]))) > 2.5`,
    for: "15m",
    severity: "ticket",
    summary: "One of 100 requests of the API takes longer than {{ $value | humanizeDuration }}.",
    action: "The dashboard names the slowest operations, and the server's log has the time of each request (`ms`).",
  },
  {
    name: "PlaytestJobsLate",
    expression: "max by (kind) (playtest_jobs_due_seconds) > 900",
    for: "5m",
    severity: "page",
    summary: "A background job of the kind {{ $labels.kind }} is {{ $value | humanizeDuration }} late.",
    action:
      "What it does waits: payouts, deadlines, mails, videos. Run `playtest admin stats`, and look for errors in the server's log.",
  },
  {
    name: "PlaytestJobsFailed",
    expression: "max by (kind) (playtest_jobs_dead) > 0",
    for: "5m",
    severity: "page",
    summary: "{{ $value }} background jobs of the kind {{ $labels.kind }} failed for good.",
    action: "Run `playtest admin jobs` for the reasons. When the cause is gone: `playtest admin jobs retry --all`.",
  },
  {
    name: "PlaytestBackupFails",
    expression: "max(playtest_backup_failing) > 0",
    for: "30m",
    severity: "ticket",
    summary: "The server makes no backups of itself.",
    action: "Run `playtest serve doctor` on the server's machine: it says why, and when the last good one was made.",
  },
  {
    name: "PlaytestMailWaits",
    // One mailbox that is full for days is no reason to wake anybody.
    expression: "max(playtest_mails_retried_recipients) > 2",
    for: "30m",
    severity: "page",
    summary: "For half an hour, emails to {{ $value }} addresses could not be sent.",
    action: "Run `playtest serve doctor` on the server's machine: it shows the reason that the mail server gave last.",
  },
  {
    name: "PlaytestMailRetried",
    expression: "max(playtest_mails_retried_recipients) > 0",
    for: "4h",
    severity: "ticket",
    summary: "For four hours, emails to {{ $value }} addresses could not be sent.",
    action: "Run `playtest admin mail list --state waiting` for the reasons.",
  },
  {
    name: "PlaytestMailFailed",
    expression: 'max(playtest_mails_undelivered{state="failed"}) > 0',
    for: "5m",
    severity: "ticket",
    summary: "{{ $value }} emails were given up.",
    action:
      "Run `playtest admin mail list --state failed` for the reasons, and `playtest admin mail retry --all` when the cause is gone.",
  },
  {
    name: "PlaytestWebhooksWait",
    expression: 'max(playtest_webhook_deliveries_waiting{state="pending"}) > 1000',
    for: "15m",
    severity: "ticket",
    summary: "{{ $value }} deliveries wait for their webhooks.",
    action:
      "The owners see theirs with `playtest webhooks deliveries`. If all of them wait, the server cannot reach the internet.",
  },
  {
    name: "PlaytestDiskFull",
    expression: "min(playtest_disk_free_bytes) < 5e9",
    for: "1m",
    severity: "page",
    summary: "{{ $value | humanize1024 }}B are free on the disk of the data folder.",
    action: "Uploads are refused soon. Add space, or move the files to a bucket: `playtest help server`.",
  },
  {
    name: "PlaytestDiskFills",
    expression: "predict_linear(playtest_disk_free_bytes[6h], 3 * 86400) < 0",
    for: "1h",
    severity: "ticket",
    summary: "The disk of the data folder is full in less than three days, if it goes on as in the last six hours.",
    action: "Add space, or move the files to a bucket: `playtest help server`.",
  },
  {
    name: "PlaytestPaymentWithoutOrder",
    expression: "max(playtest_ledger_suspense_cents) > 0",
    for: "1h",
    severity: "ticket",
    summary: "Crypto payments of {{ $value }} cents belong to no order.",
    action: "Decide about each: `playtest admin suspense`.",
  },
  {
    name: "PlaytestEventLoopBlocked",
    // Every program in Node.js may have this metric.
    expression: `nodejs_eventloop_lag_p99_seconds{job="${scrapeJob}"} > 0.5`,
    for: "10m",
    severity: "ticket",
    summary: "The process {{ $labels.instance }} answers {{ $value | humanizeDuration }} late, because it is busy.",
    action: "Give it another core, or run another process: `playtest help capacity`.",
  },
];

/** Rules for Prometheus, as a file of rules. */
export const alertRules = (): string =>
  `# Alerts of a playtest server. In prometheus.yml: rule_files: [playtest-alerts.yml]\n${stringify(
    {
      groups: [
        {
          name: "playtest",
          rules: alerts.map(({ name, expression, for: duration, severity, summary, action }) => ({
            alert: name,
            expr: expression,
            for: duration,
            labels: { severity },
            annotations: { summary, description: action },
          })),
        },
      ],
    },
    { lineWidth: 0 },
  )}`;
