import { portal } from "../../../src/contract/pages/addresses.ts";
import type { Config } from "../../config/schema.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { iso } from "../../lib/time.ts";
import { declineBetween } from "../teams/changes.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const friendView = (row: store.FriendDetailRow) => ({
  id: row.id,
  status: row.status,
  handle: row.handle ?? "",
  displayName: row.status === "connected" || row.status === "received" ? row.display_name : null,
  available: row.status === "connected" && row.available === 1,
  createdAt: iso(row.created_at),
});

async function shown(q: Query, id: string, userId: string) {
  return { friend: friendView((await store.findDetail(q, id, userId))!) };
}

async function profileOf(q: Query, config: Config, userId: string) {
  const row = await store.profile(q, userId);
  const handle = row?.handle ?? null;
  const link = handle === null ? null : `${config.baseUrl}${portal.friends()}?add=${handle}`;
  return { profile: { handle, link, available: (row?.available ?? 1) === 1 } };
}

const ended = {
  sent: "The request was withdrawn.",
  received: "The request was declined. They were not told.",
  connected: "You are no longer friends.",
  blocked: "The playtester is no longer blocked.",
} as const;

export const friends = {
  async listFriends(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.principal.userId, page));
    return call.listed(page, rows, (items) => ({ friends: items.map(friendView) }));
  },

  requestFriend: (call) =>
    call.commit(async (tx) => {
      const me = call.principal.userId;
      return shown(tx, await service.request(tx, me, call.body.handle), me);
    }),

  acceptFriend: (call) =>
    call.commit(async (tx) => {
      const me = call.principal.userId;
      return shown(tx, await service.accept(tx, call.params.id, me), me);
    }),

  removeFriend: (call) =>
    call.commit(async (tx) => {
      const { status, user_id, other_id } = await service.remove(tx, call.params.id, call.principal.userId);
      if (status === "connected") await declineBetween(tx, user_id, other_id);
      return { message: ended[status] };
    }),

  blockPlaytester: (call) =>
    call.commit(async (tx) => {
      const me = call.principal.userId;
      const { id, otherId } = await service.block(tx, me, call.body.handle);
      await declineBetween(tx, me, otherId);
      return shown(tx, id, me);
    }),

  getPlaytesterProfile: (call) => call.read((q) => profileOf(q, call.deps.config, call.principal.userId)),

  updatePlaytesterProfile: (call) =>
    call.commit(async (tx) => {
      await service.setProfile(tx, call.principal.userId, call.body);
      return profileOf(tx, call.deps.config, call.principal.userId);
    }),
} satisfies Partial<Handlers>;
