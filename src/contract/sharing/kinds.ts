export const shareKinds = ["slot", "playtest", "clip"] as const;
/** What a share shows: the video of a slot, those of a playtest, or a clip. */
export type ShareKind = (typeof shareKinds)[number];

export const shareStates = ["active", "expired", "ended"] as const;
/** `ended`: nothing of what was shared can be shown anymore. */
export type ShareState = (typeof shareStates)[number];

/** The longest clip (ms). */
export const longestClipMs = 5 * 60_000;

/** The longest reel (ms), without its cards, the most parts that it may have, and how long the card before each is shown (ms). */
export const longestReelMs = 10 * 60_000;
export const mostReelParts = 60;
export const reelCardMs = 2_500;

const day = 86_400;
/** How long a share works unless its owner says otherwise, and at most, in seconds. */
export const shareSeconds = { least: 60, usual: 14 * day, most: 365 * day };
