/** The name of a site whose operator gave it none. */
export const defaultName = "playtest";
