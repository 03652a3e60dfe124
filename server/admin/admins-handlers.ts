import type { Handlers } from "../http/call.ts";
import { createAdmin, revokeAdmin } from "./admins.ts";
import * as adminStore from "./store.ts";
import { adminView } from "./views.ts";

/** Several people administrate: each with a name, keys and scopes of their own, so that the audit log can tell them apart. */
export const admins = {
  async listAdmins(call) {
    const page = call.page();
    const rows = await call.read((q) => adminStore.listUsers(q, { role: "admin" }, page));
    return call.listed(page, rows, (items) => ({ admins: items.map(adminView) }));
  },

  createAdmin: (call) =>
    call.commit(async (tx, trail) => {
      const { user, keyId, secret } = await createAdmin(tx, call.body);
      trail.created(user.id);
      trail.created(keyId, { action: "key.create" });
      return { admin: adminView(user), apiKey: secret };
    }),

  revokeAdmin: (call) => call.commit(async (tx) => ({ admin: adminView(await revokeAdmin(tx, call.params.id, call.principal)) })),
} satisfies Partial<Handlers>;
