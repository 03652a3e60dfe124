/** What an account stores is summed up before each upload. */
export const uploadsByUser = {
  name: "003-uploads-by-user",
  statements: ["CREATE INDEX uploads_by_user ON uploads (user_id, status)"],
};
