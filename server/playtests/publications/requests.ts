/** What the adapters of platforms share about requests. */
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
/** How long (ms) a call, and one that sends a part of a video, may take. */
const callMs = 30 * secondMs;
const sendMs = 10 * minuteMs;
/** An access token is replaced this long (ms) before it ends. */
export const tokenSlackMs = minuteMs;
const maxReplyBytes = 1024 * 1024;

/** Limits of a request with this body. */
export const limitsFor = (body: string | Buffer = "") => ({
  deadlineMs: Buffer.byteLength(body) > maxReplyBytes ? sendMs : callMs,
  maxBytes: maxReplyBytes,
});

export interface Sent {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Statuses that are an answer; any other one is thrown as a refusal. */
  expects: readonly number[];
}
