export const faultKinds = ["silence", "black", "frozen", "short", "no_sound", "no_picture"] as const;
/** What can look wrong in a recording. */
export type FaultKind = (typeof faultKinds)[number];

export const highlightReasons = ["note", "mark", "confusion", "delight", "frozen", "silence", "loud"] as const;
/** Why a part of a video is worth a look. */
export type HighlightReason = (typeof highlightReasons)[number];
