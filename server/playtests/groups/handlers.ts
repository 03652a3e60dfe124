import { emailKey } from "../../accounts/users-store.ts";
import type { Query } from "../../database/port.ts";
import { type Handlers, listedFrom } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import * as store from "./store.ts";

const groupView = (group: store.CountedGroupRow) => ({
  id: group.id,
  name: group.name,
  members: group.members,
  createdAt: iso(group.created_at),
});

async function group(q: Query, id: string): Promise<store.CountedGroupRow> {
  const found = await store.find(q, id);
  if (!found) throw notFound();
  return found;
}

/** Changes the members with these email addresses. The reply says which addresses belong to no playtester. */
async function change(
  tx: Query,
  groupId: string,
  emails: readonly string[],
  apply: (userIds: readonly string[]) => Promise<number>,
) {
  await group(tx, groupId);
  const keys = [...new Set(emails.map(emailKey))];
  const found = await store.playtestersByEmail(tx, keys);
  const known = new Set(found.map((user) => user.email_key));
  const changed = await apply(found.map((user) => user.id));
  return { group: groupView(await group(tx, groupId)), changed, unknown: keys.filter((key) => !known.has(key)) };
}

/** Groups of playtesters: an operator keeps them, and owners offer playtests to them. */
export const groups = {
  async listPanels(call) {
    const all = await call.read(store.all);
    return listedFrom(call.page(), all, (panels) => ({ panels: panels.map(({ name, members }) => ({ name, members })) }));
  },

  async listGroups(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, page));
    return call.listed(page, rows, (items) => ({ groups: items.map(groupView) }));
  },

  createGroup: (call) =>
    call.commit(async (tx, trail) => {
      const { name } = call.body;
      if (await store.findByName(tx, name)) throw conflict(`The group ${name} already exists. Nothing was changed.`);
      const row = { id: tx.newId(), name, created_at: tx.now };
      await store.insert(tx, row);
      trail.created(row.id);
      return { group: groupView({ ...row, members: 0 }) };
    }),

  deleteGroup: (call) =>
    call.commit(async (tx) => {
      const found = await group(tx, call.params.id);
      const used = await store.countPlaytests(tx, found.name);
      if (used > 0)
        throw conflict(
          `${used === 1 ? "A playtest that has not ended is" : `${used} playtests that have not ended are`} for the group ${found.name}. Nothing was deleted. Cancel or finish ${used === 1 ? "it" : "them"} first.`,
        );
      await store.remove(tx, found.id);
      return { group: groupView(found) };
    }),

  async listGroupMembers(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      await group(q, call.params.id);
      return store.listMembers(q, call.params.id, page);
    });
    return call.listed(page, rows, (items) => ({
      members: items.map((row) => ({
        id: row.id,
        email: row.email,
        displayName: row.display_name,
        addedAt: iso(row.created_at),
      })),
    }));
  },

  addGroupMembers: (call) =>
    call.commit((tx) => change(tx, call.params.id, call.body.emails, (ids) => store.addMembers(tx, call.params.id, ids, tx.now))),

  removeGroupMembers: (call) =>
    call.commit((tx) => change(tx, call.params.id, call.body.emails, (ids) => store.removeMembers(tx, call.params.id, ids))),
} satisfies Partial<Handlers>;
