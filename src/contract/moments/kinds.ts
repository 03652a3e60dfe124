export const momentKinds = ["bug", "confusion", "delight", "idea", "note"] as const;
/** What an owner observed at a moment of a video. */
export type MomentKind = (typeof momentKinds)[number];

/** As a person reads them. */
export const kindTitles: Readonly<Record<MomentKind, string>> = {
  bug: "Bug",
  confusion: "Confusion",
  delight: "Delight",
  idea: "Idea",
  note: "Note",
};
