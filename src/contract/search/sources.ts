/** What a search finds by its name. */
export const namedSources = ["game", "playtest", "playtester"] as const;
export const searchSources = ["transcript", "takeaway", "notes", "moment", "finding", ...namedSources] as const;
/**
 * Where a text that was found is from: what is said in a video, its key takeaways, its playtester's notes, a moment its owner noted, a finding,
 * or the name of a game, of an order (its ref), or of a playtester.
 */
export type SearchSource = (typeof searchSources)[number];
