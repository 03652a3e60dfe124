export const momentKinds = ["bug", "confusion", "delight", "idea", "note"] as const;
/** What an owner observed at a moment of a video. */
export type MomentKind = (typeof momentKinds)[number];
