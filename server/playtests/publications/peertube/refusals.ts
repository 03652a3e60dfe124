import type { Failed } from "../publisher.ts";

/** What a PeerTube instance answered instead of doing it. */
export class PeertubeRefusal extends Error {
  override name = "PeertubeRefusal";
  readonly status: number;
  /** As PeerTube calls it, such as `quota_reached`; empty where it says none. */
  readonly code: string;
  /** How long (ms) it wants to be left in peace; undefined where it does not say. */
  readonly retryAfterMs: number | undefined;
  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

const hour = 3_600_000;

const meanings: Readonly<Record<string, string>> = {
  403: "PeerTube refused the video.",
  413: "The video is larger than PeerTube takes.",
  415: "PeerTube does not take videos of this type.",
  422: "PeerTube cannot read the video.",
};

/** Statuses after which the same request may succeed. */
const passing = (status: number) => status >= 500 || [401, 404, 408, 409, 429].includes(status);

/** What a refusal means for a publication at `now` (ms). */
export function outcomeOf({ status, code, message, retryAfterMs }: PeertubeRefusal, now: number): Failed {
  const detail = [status, code, message].filter((part) => part !== "").join(" ");
  // Also for a moment while another process gets new tokens, so it is tried again soon.
  if (code === "invalid_grant") {
    const help = "If that stays so, connect again with `playtest admin publishing connect peertube`.";
    return { is: "failed", reason: "The connection to PeerTube has ended.", detail: help };
  }
  if (code === "quota_reached")
    return { is: "failed", reason: "The account on PeerTube has no room for the video.", detail, retryAt: now + hour };
  if (passing(status)) {
    const wait = retryAfterMs === undefined ? {} : { retryAt: now + Math.min(retryAfterMs, hour) };
    return { is: "failed", reason: "PeerTube does not answer as it should.", detail, ...wait };
  }
  return { is: "failed", reason: meanings[status] ?? "PeerTube refused the video.", detail, permanent: true };
}
