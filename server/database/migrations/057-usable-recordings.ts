/** How much of a recording has a picture and sound, in percent; null for those that were measured before. */
export const usableRecordings = {
  name: "057-usable-recordings",
  statements: [
    "ALTER TABLE video_signals ADD COLUMN picture_percent {int}",
    "ALTER TABLE video_signals ADD COLUMN sound_percent {int}",
  ],
};
