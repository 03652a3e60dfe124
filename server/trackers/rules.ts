import { createHash } from "node:crypto";
import type { FindingStatus } from "../../src/contract/findings/statuses.ts";
import type { IssueState } from "../../src/contract/findings/trackers.ts";

/** What a tracker's answers mean. Pure. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The longest (ms) that a tracker is left in peace, whatever it asks. */
const longestWait = 6 * hour;

interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What the tracker said, in its words. */
  said: string;
}

const text = (value: string | string[] | undefined) => (typeof value === "string" ? value : undefined);

/**
 * How long (ms) a tracker asks to wait: 429, and on GitHub also 403 with a header or a sentence that says so. Undefined for other refusals. GitHub
 * says to wait a minute at least where no header names a time.
 */
export function waitOf({ status, headers, said }: Answer, realNow: number): number | undefined {
  const retryAfter = text(headers["retry-after"]);
  const spent = text(headers["x-ratelimit-remaining"]) === "0";
  const limited = status === 429 || (status === 403 && (retryAfter !== undefined || spent || /rate limit/i.test(said)));
  if (!limited) return undefined;
  const asked = retryAfter === undefined ? resetOf(headers, realNow) : afterOf(retryAfter, realNow);
  return Math.min(longestWait, Math.max(second, asked ?? minute));
}

function afterOf(header: string, realNow: number): number | undefined {
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date - realNow;
}

/** GitHub and GitLab count in seconds since 1970, Linear in milliseconds. */
function resetOf(headers: Answer["headers"], realNow: number): number | undefined {
  const reset = [headers["x-ratelimit-reset"], headers["ratelimit-reset"], headers["x-ratelimit-requests-reset"]]
    .map(text)
    .find(Boolean);
  if (reset === undefined || !/^\d{1,15}$/.test(reset)) return undefined;
  const at = Number(reset);
  return (at > 1e12 ? at : at * second) - realNow;
}

/**
 * How long (ms) after a creation began the issue is looked for at the earliest: until then the request has ended, and the index that Jira's
 * search reads has what it created.
 */
export const lookupAfter = minute;

/** How long (ms) after a failed try the next begins, by how many failed in a row: from a minute to an hour. */
export const pauseAfter = (failed: number): number => Math.min(hour, lookupAfter * 2 ** Math.min(failed - 1, 20));

/** After so many failed tries in a row, somebody has to ask again. */
export const maxAttempts = 40;

/** How far a creation may lie before it began by the tracker's clock (ms). */
export const clockSkew = hour;

/** What is known of a finding and its issue. */
export interface Known {
  status: FindingStatus;
  /** What was known of the issue before. */
  state: IssueState;
  isOpen: boolean;
  /** What newer builds say. */
  verdict: "again" | "verified" | undefined;
}

export interface Plan {
  /** The finding's new status. */
  status: FindingStatus;
  /** The issue is opened again. */
  reopen: boolean;
  /** It is said on the issue that it was met again. */
  again: boolean;
}

const isOpenStatus = (status: FindingStatus) => status === "open" || status === "filed";

/** The status that an issue gives its finding: what was closed there is fixed, and what was reopened there is not. */
export function statusByIssue({ status, state, isOpen }: Omit<Known, "verdict">): FindingStatus {
  if (isOpenStatus(status)) return isOpen || state === "closed" ? "filed" : "fixed";
  return isOpen && state === "closed" && status !== "wontfix" ? "filed" : status;
}

/** What is to be done where a finding has this status by its issue. An issue that is closed while its finding is open is reopened. */
export function planOf({ status, isOpen, verdict }: Omit<Known, "state">): Plan {
  if (isOpenStatus(status)) return { status: "filed", reopen: !isOpen, again: false };
  if (verdict === "again") return { status: "filed", reopen: !isOpen, again: true };
  return { status: verdict === "verified" ? "verified" : status, reopen: false, again: false };
}

/** A UUID (version 4) that is always the same for a text: what a tracker that takes ids is given, so that it refuses a second one. */
export function uuidOf(given: string): string {
  const hex = createHash("sha256").update(given).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
