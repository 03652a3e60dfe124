export const searchSources = ["transcript", "takeaway", "notes", "moment", "finding"] as const;
/** Where a text that was found is from: what is said in a video, its key takeaways, its playtester's notes, a moment its owner noted, or a finding. */
export type SearchSource = (typeof searchSources)[number];
