import { publisherTitles } from "../../../src/contract/publications/publishers.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import * as slots from "../slots/store.ts";
import { rowLocks } from "../store.ts";
import { lockedPublication, move, remove, retry } from "./service.ts";
import * as store from "./store.ts";
import { adminPublicationView, publicationView } from "./views.ts";

/** The publication of an owner's slot. 404 when there is none. */
async function own(q: Query, slotId: string, ownerId: string): Promise<store.PublicationDetailRow> {
  const slot = await slots.find(q, slotId);
  const row = slot?.owner_id === ownerId ? await store.ofSlot(q, slotId) : undefined;
  if (!row) throw notFound();
  return row;
}

const shown = async (tx: Tx, id: string) => ({ publication: adminPublicationView((await store.findDetail(tx, id))!) });

export const publications = {
  getSlotPublication: (call) =>
    call.read(async (q) => ({ publication: publicationView(await own(q, call.params.id, call.principal.userId)) })),

  unpublishSlot: (call) =>
    call.commit(async (tx) => {
      const { id } = await own(tx, call.params.id, call.principal.userId);
      await remove(tx, await lockedPublication(tx, id), call.body.reason);
      return { publication: publicationView((await store.findDetail(tx, id))!) };
    }, rowLocks),

  async listPublications(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.query.state, page));
    return call.listed(page, rows, (items) => ({ publications: items.map(adminPublicationView) }));
  },

  retryPublication: (call) =>
    call.commit(async (tx) => {
      await retry(tx, await lockedPublication(tx, call.params.id));
      return shown(tx, call.params.id);
    }),

  movePublication: (call) =>
    call.commit(async (tx) => {
      const { to } = call.body;
      if (!call.deps.publishers[to])
        throw conflict(`This server is not connected to ${publisherTitles[to]}. Nothing was changed. Connect it first.`);
      const { id } = await move(tx, await lockedPublication(tx, call.params.id), to);
      return shown(tx, id);
    }),

  removePublication: (call) =>
    call.commit(async (tx) => {
      await remove(tx, await lockedPublication(tx, call.params.id), call.body.reason);
      return shown(tx, call.params.id);
    }),
} satisfies Partial<Handlers>;
