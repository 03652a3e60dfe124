/** The invoice that an email attaches, by its id, and when an owner was told that all videos of a playtest are in (ms). */
export const mailedDocuments = {
  name: "066-mailed-documents",
  statements: ["ALTER TABLE mails ADD COLUMN document_id TEXT", "ALTER TABLE playtests ADD COLUMN all_in_at {int}"],
};
