import { expect, it } from "vitest";
import { frameLines, frameOf, parseMetrics } from "../../src/commands/serve/top-frame.ts";

const text = (orders: number, slow: number, more = "") => `# HELP playtest_request_seconds Time
# TYPE playtest_request_seconds histogram
playtest_request_seconds_bucket{le="0.1",operation="createOrder"} ${orders}
playtest_request_seconds_bucket{le="1",operation="createOrder"} ${orders + slow}
playtest_request_seconds_bucket{le="+Inf",operation="createOrder"} ${orders + slow}
playtest_request_seconds_sum{operation="createOrder"} ${orders * 0.05 + slow * 0.5}
playtest_request_seconds_count{operation="createOrder"} ${orders + slow}
playtest_request_seconds_bucket{le="0.1",operation="getMe"} 40
playtest_request_seconds_bucket{le="1",operation="getMe"} 40
playtest_request_seconds_bucket{le="+Inf",operation="getMe"} 40
playtest_request_seconds_sum{operation="getMe"} 0.4
playtest_request_seconds_count{operation="getMe"} 40
process_start_time_seconds 90
playtest_jobs_queued{kind="send-mail"} 7
playtest_jobs_queued{kind="transcribe"} 1
playtest_jobs_due{kind="send-mail"} 5
playtest_jobs_due_seconds{kind="send-mail"} 125
playtest_jobs_due_seconds{kind="transcribe"} 0
playtest_jobs_dead{kind="cut-clip"} 2
playtest_webhook_deliveries_waiting{state="pending"} 3
playtest_mails_undelivered{state="retried"} 0
playtest_uploads_open 2
playtest_uploads_open_bytes 2147483648
playtest_disk_free_bytes 53687091200
playtest_event_streams 1
${more}`;
const sample = (at: number, content: string) => ({ at, metrics: parseMetrics(content) });

it("the first frame is about the time since the server started", () => {
  const frame = frameOf(sample(100_000, text(90, 10)));
  expect(frame).toMatchObject({ seconds: 10, requestsPerSecond: 14, diskFreeBytes: 53_687_091_200, eventStreams: 1 });
  expect(frame.operations).toEqual([
    { operation: "createOrder", perSecond: 10, meanMs: 95, p95Ms: 1000 },
    { operation: "getMe", perSecond: 4, meanMs: 10, p95Ms: 100 },
  ]);
  expect(frame.queues).toEqual([
    { kind: "send-mail", due: 5, queued: 7, oldestSeconds: 125, failed: 0 },
    { kind: "cut-clip", due: 0, queued: 0, oldestSeconds: 0, failed: 2 },
    { kind: "transcribe", due: 0, queued: 1, oldestSeconds: 0, failed: 0 },
  ]);
});

it("a later frame is about what happened since the one before", () => {
  const frame = frameOf(sample(102_000, text(110, 10)), sample(100_000, text(90, 10)));
  expect(frame).toMatchObject({ seconds: 2, requestsPerSecond: 10 });
  expect(frame.operations).toEqual([{ operation: "createOrder", perSecond: 10, meanMs: expect.closeTo(50), p95Ms: 100 }]);
});

it("a server that was started again counts from nothing", () => {
  const frame = frameOf(sample(102_000, text(4, 0)), sample(100_000, text(90, 10)));
  expect(frame.operations).toEqual([{ operation: "createOrder", perSecond: 2, meanMs: expect.closeTo(50), p95Ms: 100 }]);
});

it("a frame is lines for a small terminal", () => {
  expect(frameLines(frameOf(sample(100_000, text(90, 10))), "http://127.0.0.1:4747/metrics").join("\n")).toMatchInlineSnapshot(`
    "http://127.0.0.1:4747/metrics  14.0 requests/s over 10s, 1 event stream
    Disk: 50.0 GiB free. Uploads under way: 2 (2.0 GiB).
    Webhook deliveries: 3 pending. Emails not delivered: 0 retried.

    SLOWEST OPERATIONS  PER SECOND  MEAN MS  P95 MS
    createOrder               10.0     95.0    1000
    getMe                      4.0     10.0     100

    QUEUES      DUE  OLDEST  QUEUED  FAILED
    send-mail     5      2m       7       0
    cut-clip      0      0s       0       2
    transcribe    0      0s       1       0"
  `);
});

it("a frame of nothing has nothing in it", () => {
  const frame = frameOf(sample(100_000, "process_start_time_seconds 90\nnot a metric at all"));
  expect([frame.requestsPerSecond, frame.operations, frame.queues]).toEqual([0, [], []]);
  expect(frameLines(frame, "http://a/metrics").join("\n")).toContain("Webhook deliveries: none.");
});
