export const searchSources = ["transcript", "takeaway", "notes", "moment"] as const;
/** Where a text that was found is from: what is said in a video, its key takeaways, its playtester's notes, or a moment its owner noted. */
export type SearchSource = (typeof searchSources)[number];
