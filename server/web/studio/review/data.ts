import type { Data } from "../../../../src/contract/index.ts";
import { type Cue, readCues } from "../../../../src/contract/text/cues.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { cursorOf } from "../../shared/parts.ts";
import { ifAllowed } from "../allowed.ts";
import { type Clip, clipsOf } from "../sharing/clips.ts";
import { type Share, sharesOf } from "../sharing/shares.ts";
import type { StudioContext } from "../types.ts";
import { placeInQueue, type QueuePlace } from "./queue.ts";

export type Slot = Data<"getSlot">["slot"];
export type Moment = Data<"listSlotMoments">["moments"][number];

/** What the review page of a slot shows. */
export interface Review {
  slot: Slot;
  /** What the playtester earns; null where the server does not say. */
  payoutCents: number | null;
  notesForTesters: string | null;
  lengthMs: number | undefined;
  /** Null without a transcript. */
  cues: Cue[] | null;
  /** Undefined where the server keeps no moments. */
  moments: { page: Moment[]; next: string | null; first: boolean } | undefined;
  place: QueuePlace;
  /** The public links to the video, and its clips; undefined without a video, and where the server has none. */
  shares: Share[] | undefined;
  clips: Clip[] | undefined;
  /** Whether the playtester can be written to; undefined where the server does not say. */
  canWrite: boolean | undefined;
}

/** How many moments a page lists. */
const momentsPerPage = 50;

async function momentsOf({ call, id, query, form }: StudioContext): Promise<Review["moments"]> {
  const cursor = cursorOf({ query } as StudioContext) ?? (form.cursor || undefined);
  const reply = await ifOffered(call("listSlotMoments", { params: { id }, query: { limit: momentsPerPage, cursor } }));
  return reply && { page: reply.data.moments, next: reply.meta.cursor ?? null, first: cursor === undefined };
}

async function cuesOf({ captions, id }: StudioContext, { transcription }: Slot): Promise<Cue[] | null> {
  if (transcription?.status !== "approved") return null;
  const text = await captions(id);
  return text === undefined ? null : readCues(text);
}

/** Owners can write to playtesters of whom they accepted a video. */
async function canWriteTo({ call }: StudioContext, { playtester }: Slot): Promise<boolean | undefined> {
  const reply = playtester && (await ifAllowed(call("listContacts")));
  return reply?.data.contacts.find(({ id }) => id === playtester?.id)?.isUnlocked;
}

export async function reviewOf(context: StudioContext): Promise<Review> {
  const { slot } = (await context.call("getSlot", { params: { id: context.id } })).data;
  const hasVideo = slot.submission !== null;
  const [playtest, moments, cues, place, canWrite, shares, clips] = await Promise.all([
    ifOffered(context.call("getPlaytest", { params: { id: slot.requestId } })),
    momentsOf(context),
    cuesOf(context, slot),
    placeInQueue(context, slot.id),
    canWriteTo(context, slot),
    hasVideo ? sharesOf(context, "slots") : undefined,
    hasVideo ? clipsOf(context) : undefined,
  ]);
  const seconds = slot.submission?.videoDurationSeconds;
  return {
    slot,
    payoutCents: playtest?.data.playtest.payoutCents ?? null,
    notesForTesters: playtest?.data.playtest.notesForTesters ?? null,
    lengthMs: typeof seconds === "number" ? seconds * 1000 : undefined,
    cues,
    moments,
    place,
    canWrite,
    shares,
    clips,
  };
}
