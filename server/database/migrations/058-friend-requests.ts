/** What somebody was told of a request to be friends, and when they declined it: `other_id` asked `user_id`. */
export const friendRequests = {
  name: "058-friend-requests",
  statements: [
    `CREATE TABLE friend_requests (
      user_id TEXT NOT NULL REFERENCES users (id), other_id TEXT NOT NULL REFERENCES users (id), told_at {int} NOT NULL, declined_at {int},
      PRIMARY KEY (user_id, other_id)) {strict}`,
    "CREATE INDEX friend_requests_by_other ON friend_requests (other_id)",
  ],
};
