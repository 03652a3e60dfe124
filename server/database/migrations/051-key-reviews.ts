/** How many submissions an API key accepted or rejected in its last such day, a UTC day as its first millisecond, of requests that limit it. */
export const keyReviews = {
  name: "051-key-reviews",
  statements: [
    "ALTER TABLE api_keys ADD COLUMN review_day {int} NOT NULL DEFAULT 0",
    "ALTER TABLE api_keys ADD COLUMN reviews {int} NOT NULL DEFAULT 0",
  ],
};
