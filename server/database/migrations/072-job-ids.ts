/** Jobs that migrations queued get an id as others have, by which they can be retried: that of the game or the account they are for. */
export const jobIds = {
  name: "072-job-ids",
  statements: ["UPDATE jobs SET id = SUBSTR(id, LENGTH(kind) + 2) WHERE id = kind || ':' || SUBSTR(id, LENGTH(kind) + 2)"],
};
