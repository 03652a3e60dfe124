/**
 * What videos are made of: their tracks and what is wrong with them, as JSON. Null until it was looked at. The index finds the videos that
 * were not.
 */
export const videoFacts = {
  name: "034-video-facts",
  statements: [
    "ALTER TABLE uploads ADD COLUMN facts TEXT",
    "ALTER TABLE submissions ADD COLUMN video_facts TEXT",
    "CREATE INDEX uploads_not_inspected ON uploads (completed_at) WHERE kind = 'video' AND status = 'completed' AND facts IS NULL",
  ],
};
