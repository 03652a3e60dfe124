import type { Data, Input } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";
import type { CallOperation, Operation } from "../../contract/index.ts";
import {
  changeLocal,
  findLocal,
  inOrder,
  keep,
  lacksNotes,
  localNotes,
  type Moment,
  removeLocal,
} from "../shared/notes/local.ts";

/** Moments of `playtest studio` where the server keeps none: on this computer, as those of `playtest review note`. */

type Noted = "createMoment" | "listSlotMoments" | "updateMoment" | "deleteMoment";
type Kept<O extends Noted> = (input: Input<O>) => Promise<{ data: Data<O>; meta: { cursor?: string | null; hasMore?: boolean } }>;

export interface KeptMoments {
  /** Calls the server, or does here what it does not offer. */
  call: CallOperation;
  /** Whether moments are kept here, as far as is known: a page that lists them finds out. */
  areHere(): boolean;
}

const usualPage = 50;

/** There is no image of a moment that the server does not know. */
const shown = ({ still: _, ...moment }: Moment) => moment as Moment;

export function keptMoments(ctx: Context): KeptMoments {
  const api = ctx.api();
  const notes = localNotes(ctx);
  const isHere = (id: string) => findLocal(notes, id) !== undefined;

  /** A form that was sent twice notes once. */
  const create: Kept<"createMoment"> = async ({ params, body, idempotencyKey }) => {
    const key = idempotencyKey ?? api.nextKey();
    const earlier = notes.read().find((note) => note.key === key);
    const { slot } = (await api.call("getSlot", { params })).data;
    return { data: { moment: shown(earlier?.moment ?? (await keep(ctx, slot, body!, key, false))) }, meta: {} };
  };

  const list: Kept<"listSlotMoments"> = async ({ params, query }) => {
    const { limit = usualPage, cursor } = query ?? {};
    const from = Number(cursor ?? 0) || 0;
    const all = notes.read().flatMap(({ moment }) => (moment.slotId === params.id ? [shown(moment)] : []));
    const moments = inOrder(params.id, all).slice(from, from + Number(limit));
    const next = from + moments.length;
    const hasMore = next < all.length;
    return { data: { moments }, meta: { cursor: hasMore ? String(next) : null, hasMore } };
  };

  const update: Kept<"updateMoment"> = async ({ params, body }) => ({
    data: { moment: shown((await changeLocal(ctx, params.id, body ?? {}))!) },
    meta: {},
  });

  const remove: Kept<"deleteMoment"> = async ({ params }) => {
    await removeLocal(ctx, params.id);
    return { data: { message: "The note on this computer is deleted." }, meta: {} };
  };

  const instead: Partial<Record<Operation, (input: never) => Promise<unknown>>> = {
    createMoment: create,
    listSlotMoments: list,
    updateMoment: update,
    deleteMoment: remove,
  };

  let areHere = false;
  const call = async (operation: Operation, ...given: [{ params?: { id: string } }?]): Promise<unknown> => {
    const kept = instead[operation];
    const input = given[0] as never;
    if (kept && given[0]?.params && isHere(given[0].params.id)) return kept(input);
    try {
      const reply = await api.call(operation, ...(given as [never]));
      if (kept) areHere = false;
      return reply;
    } catch (error) {
      if (!kept || !lacksNotes(error)) throw error;
      areHere = true;
      return kept(input);
    }
  };
  return { call: call as CallOperation, areHere: () => areHere };
}
