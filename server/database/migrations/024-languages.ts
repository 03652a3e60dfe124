/** The languages that a game can be played in, as a JSON list of tags. */
export const languages = {
  name: "024-languages",
  statements: ["ALTER TABLE games ADD COLUMN languages TEXT NOT NULL DEFAULT '[]'"],
};
