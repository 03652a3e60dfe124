/** How long a video is (ms). Null for one whose length cannot be read, or that is older than this. */
export const videoLengths = {
  name: "013-video-lengths",
  statements: ["ALTER TABLE uploads ADD COLUMN duration_ms {int}", "ALTER TABLE submissions ADD COLUMN video_duration_ms {int}"],
};
