import type { Data } from "../../../../src/contract/index.ts";
import { type Cue, readCues } from "../../../../src/contract/text/cues.ts";
import { ApiError } from "../../../lib/api-error.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { cursorOf } from "../../shared/parts.ts";
import { ifAllowed } from "../allowed.ts";
import { isClosed, type Playtesters } from "../messages.ts";
import { type Clip, clipsOf, cutsClips } from "../sharing/clips.ts";
import { type Share, sharesOf } from "../sharing/shares.ts";
import type { StudioContext } from "../types.ts";
import { placeInQueue, type QueuePlace } from "./queue.ts";

export type Slot = Data<"getSlot">["slot"];
export type Moment = Data<"listSlotMoments">["moments"][number];

export type Measured = Data<"getSlotSignals">;
export type Finding = Data<"listFindings">["findings"][number];

/** Whether the playtester can be written to. */
export type Writing = "open" | "locked" | "unbegun" | "closed";

/** What the review page of a slot shows. */
export interface Review {
  slot: Slot;
  /** What the playtester earns; null where the server does not say. */
  payoutCents: number | null;
  notesForTesters: string | null;
  lengthMs: number | undefined;
  /** Null without a transcript. */
  cues: Cue[] | null;
  moments: { page: Moment[]; next: string | null; first: boolean };
  place: QueuePlace;
  /** The public links to the video, and its clips; undefined without a video, and where the server has none. */
  shares: Share[] | undefined;
  clips: Clip[] | undefined;
  /** Whether the server cuts clips and still images. */
  cuts: boolean;
  writing: Writing;
  /** What was measured of the video; undefined until then, and where nothing is. */
  measured: Measured | undefined;
  /** The findings of the game, those with the highest rank; undefined where the server has none. */
  findings: Finding[] | undefined;
  /** Whether no real money is paid, and whether the transcript and its takeaways are samples. */
  simulates: { money: boolean; transcript: boolean; takeaways: boolean };
}

/** How many moments a page lists. */
const momentsPerPage = 50;

async function momentsAfter({ call, id }: StudioContext, cursor: string | undefined): Promise<Review["moments"]> {
  const reply = await call("listSlotMoments", { params: { id }, query: { limit: momentsPerPage, cursor } });
  return { page: reply.data.moments, next: reply.meta.cursor ?? null, first: cursor === undefined };
}

const momentsOf = (context: StudioContext) =>
  momentsAfter(context, cursorOf({ query: context.query } as StudioContext) ?? (context.form.cursor || undefined));

/** Looks for a moment from a page of the list on. The cursor of its page; undefined for the first page, and when it is not found. */
async function findMoment(
  context: StudioContext,
  { id, atMs }: Pick<Moment, "id" | "atMs">,
  from: string | undefined,
): Promise<string | undefined> {
  for (let cursor = from; ; ) {
    const { page, next } = await momentsAfter(context, cursor);
    if (page.some((one) => one.id === id)) return cursor;
    if (next === null || page[0]!.atMs > atMs) return undefined;
    cursor = next;
  }
}

/** The cursor of the page of the list that has a moment, which was saved just now; undefined for the first page. */
export async function cursorOfMoment(context: StudioContext, moment: Pick<Moment, "id" | "atMs">): Promise<string | undefined> {
  const open = context.form.cursor || undefined;
  try {
    // Usually it is on the page that was open, or soon after it.
    const near = open === undefined ? undefined : await findMoment(context, moment, open);
    return near ?? (await findMoment(context, moment, undefined));
  } catch (error) {
    // The moment is saved, so nothing must say otherwise: the list starts at its beginning.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function cuesOf({ captions, id }: StudioContext, { transcription }: Slot): Promise<Cue[] | null> {
  if (transcription?.status !== "approved") return null;
  const text = await captions(id);
  return text === undefined ? null : readCues(text);
}

/**
 * Owners can write to playtesters of whom they accepted a video: for others it is `locked`. `unbegun`: there is no conversation yet, and
 * the server begins none. `closed`: the playtester blocked the owner, or is suspended or deleted.
 */
async function writingTo({ call, offers }: StudioContext, { playtester }: Slot): Promise<Writing> {
  const reply = playtester && (await ifAllowed(call("listContacts", { query: { contactId: playtester.id } })));
  const contacts = (reply?.data.contacts ?? []) as Playtesters;
  const contact = contacts.find(({ id }) => id === playtester?.id);
  if (contact && isClosed(contact)) return "closed";
  if (contact?.isUnlocked === false) return "locked";
  return contact?.conversationId || (await offers("openConversation")) ? "open" : "unbegun";
}

const mostFindings = 20;

export async function measuredOf({ call, id }: StudioContext): Promise<Measured | undefined> {
  try {
    return (await ifAllowed(call("getSlotSignals", { params: { id } })))?.data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

const findingsOf = async ({ call }: StudioContext, gameId: string) =>
  (await ifAllowed(call("listFindings", { params: { id: gameId }, query: { limit: mostFindings } })))?.data.findings;

export async function reviewOf(context: StudioContext): Promise<Review> {
  const { slot } = (await context.call("getSlot", { params: { id: context.id } })).data;
  const hasVideo = slot.submission !== null;
  const [playtest, server, moments, cues, place, writing, shares, clips, measured, findings] = await Promise.all([
    ifOffered(context.call("getPlaytest", { params: { id: slot.requestId } })),
    ifOffered(context.call("getServerInfo")),
    momentsOf(context),
    cuesOf(context, slot),
    placeInQueue(context, slot.id),
    writingTo(context, slot),
    hasVideo ? sharesOf(context, "slots") : undefined,
    hasVideo ? clipsOf(context) : undefined,
    hasVideo ? measuredOf(context) : undefined,
    hasVideo ? findingsOf(context, slot.game.id) : undefined,
  ]);
  const seconds = slot.submission?.videoDurationSeconds;
  const samples = server?.data.features.sampleTranscripts === true;
  return {
    slot,
    payoutCents: playtest?.data.playtest.payoutCents ?? null,
    notesForTesters: playtest?.data.playtest.notesForTesters ?? null,
    lengthMs: typeof seconds === "number" ? seconds * 1000 : undefined,
    cues,
    moments,
    place,
    writing,
    shares,
    clips,
    measured,
    findings,
    simulates: {
      money: server?.data.sandbox === true && playtest?.data.playtest.payoutCents !== 0,
      // One that was edited or uploaded is the owner's; its takeaways are still those of the sample.
      transcript: samples && slot.transcription?.selectedVersion === "original",
      takeaways: samples,
    },
    cuts: cutsClips(server?.data),
  };
}
