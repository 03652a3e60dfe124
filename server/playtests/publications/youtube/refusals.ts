import type { Failed } from "../publisher.ts";

/** What YouTube or its sign-in answered instead of doing it. */
export class YoutubeRefusal extends Error {
  override name = "YoutubeRefusal";
  readonly status: number;
  /** As YouTube calls it, such as `quotaExceeded`; empty where it says none. */
  readonly reason: string;
  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

const hour = 3_600_000;

const pacificHour = new Intl.DateTimeFormat("en-US", { timeZone: "America/Los_Angeles", hour: "numeric", hourCycle: "h23" });

/** The first midnight in California after `now` (ms), when YouTube fills quotas again. */
export function nextPacificMidnight(now: number): number {
  let at = Math.floor(now / hour) * hour + hour;
  while (Number(pacificHour.format(at)) !== 0) at += hour;
  return at;
}

/** What each reason means for a publication at `now` (ms). */
const meanings: Readonly<Record<string, (now: number) => Failed>> = {
  quotaExceeded: (now) => quotaUsedUp(now),
  dailyLimitExceeded: (now) => quotaUsedUp(now),
  uploadLimitExceeded: (now) => ({
    is: "failed",
    reason: "YouTube takes no more videos of this account for now.",
    retryAt: now + 12 * hour,
  }),
  youtubeSignupRequired: () => ({
    is: "failed",
    reason: "The account that is connected to YouTube has no channel.",
    detail: "Create one, then try again.",
    permanent: true,
  }),
  invalid_grant: (now) => ({
    is: "failed",
    reason: "The connection to YouTube has ended.",
    detail: "Connect again with `playtest admin publishing connect youtube`.",
    retryAt: now + hour,
  }),
};

const quotaUsedUp = (now: number): Failed => ({
  is: "failed",
  reason: "The quota of YouTube's API is used up until midnight in California.",
  retryAt: nextPacificMidnight(now),
});

/** Statuses after which the same request may succeed. */
const passing = (status: number) => status >= 500 || status === 401 || status === 408 || status === 429;

/** What a refusal means for a publication at `now` (ms). */
export function outcomeOf({ status, reason, message }: YoutubeRefusal, now: number): Failed {
  const known = Object.hasOwn(meanings, reason) ? meanings[reason] : undefined;
  if (known) return known(now);
  if (passing(status) || /ratelimitexceeded/i.test(reason))
    return { is: "failed", reason: "YouTube does not answer as it should.", detail: `${status} ${message}` };
  return { is: "failed", reason: "YouTube refused the video.", detail: `${status} ${message}`, permanent: true };
}
