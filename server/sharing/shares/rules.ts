import type { SlotStatus } from "../../../src/contract/states/index.ts";

const hour = 3_600_000;

/** How long a share is still listed after it expired (ms). */
export const expiredShareMs = 30 * 24 * hour;

/** How long a browser that knows the password of a share is not asked again (ms). */
export const unlockedMs = 12 * hour;

/** Within this time (ms), a browser that opens a page again is not counted. */
export const sameViewMs = hour;

/** Shares that an account can have at once, with those that expired recently. */
export const maxShares = 1_000;

/** Slots whose videos can be shared: those that wait for review or are paid. */
export const shareable = ["submitted", "publishing", "accepted"] as const satisfies readonly SlotStatus[];
