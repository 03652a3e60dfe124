/** Admins who may do a part of what admins do: a JSON list of scopes. Null: everything, as the admins before had. */
export const adminScopes = {
  name: "007-admin-scopes",
  statements: ["ALTER TABLE users ADD COLUMN admin_scopes TEXT"],
};
