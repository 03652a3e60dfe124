/**
 * What a notification says when the account that it names is deleted. Null where it names nobody; empty where that is not known, because
 * an earlier version wrote it.
 */
export const unnamedNotices = {
  name: "070-unnamed-notices",
  statements: ["ALTER TABLE notifications ADD COLUMN unnamed_body TEXT DEFAULT ''"],
};
