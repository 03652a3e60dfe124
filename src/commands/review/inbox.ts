import type { Data } from "../../api/client.ts";
import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes, failure, usage } from "../../errors.ts";
import type { Player } from "../../io/player.ts";
import type { KeyChoice } from "../../io/prompt.ts";
import { usd } from "../../io/text.ts";
import { askFinding, askNote } from "./notes/ask.ts";
import { play } from "./play.ts";
import { readTranscript } from "./transcript.ts";
import { lengthOf } from "./video-length.ts";
import { acceptedText, type Payout, submissionView } from "./view.ts";

/** Interactive review of one submission. */

type Slot = Data<"getSlot">["slot"];

export type Decision = "accepted" | "rejected" | "skipped" | "quit";

const instead = "Use `playtest review accept`, `reject` and `show`.";

type Choice = "play" | "note" | "finding" | "transcript" | "accept" | "reject" | "chat" | "skip" | "quit";

function acceptChoice(who: string, { payoutCents, publishing }: Payout, withoutPayments: boolean): string {
  if (payoutCents === 0) return withoutPayments ? "Accept" : "Accept; no payout is due";
  const amount = usd(payoutCents);
  return publishing ? `Accept; ${who} is paid ${amount} when the video is published` : `Accept and pay ${who} ${amount}`;
}

/** The amount is in the menu, so that the key that pays is pressed by somebody who has read it. */
const choicesFor = (who: string, payout: Payout, withoutPayments: boolean): readonly KeyChoice<Choice>[] => [
  { key: "p", value: "play", name: "Play the video" },
  { key: "n", value: "note", name: "Note a moment of the video" },
  { key: "f", value: "finding", name: "Add a place in the video to a finding" },
  { key: "t", value: "transcript", name: "Read the transcript" },
  { key: "a", value: "accept", name: acceptChoice(who, payout, withoutPayments) },
  { key: "r", value: "reject", name: "Reject" },
  { key: "c", value: "chat", name: `Send a message to ${who}` },
  { key: "s", value: "skip", name: "Skip" },
  { key: "q", value: "quit", name: "Quit" },
];

const ratings: readonly KeyChoice[] = [
  { key: "1", value: "1", name: "Bad" },
  { key: "2", value: "2", name: "Poor" },
  { key: "3", value: "3", name: "Fair" },
  { key: "4", value: "4", name: "Good" },
  { key: "5", value: "5", name: "Excellent" },
  { key: "return", value: "", name: "No rating" },
  { key: "escape", value: "back", name: "Back" },
];

/** Throws if the submission cannot be decided any more. Asked before a person types text, which would be lost. */
async function requireWaiting(ctx: Context, { id }: Slot): Promise<void> {
  const { slot } = await ctx.api().getSlot({ params: { id } });
  if (slot.status === "submitted") return;
  throw new CliError("CONFLICT", exitCodes.conflict, `This slot is ${slot.status}. Nothing was changed.`);
}

async function accept(ctx: Context, slot: Slot, payout: Payout): Promise<Decision | undefined> {
  await requireWaiting(ctx, slot);
  const price = payout.payoutCents > 0 ? `. ${nameOf(slot)} will be paid ${usd(payout.payoutCents)}` : "";
  const rating = await ctx.prompt.menu(`Rating${price}:`, ratings, instead);
  if (rating === "back") return undefined;
  const comment = (await ctx.prompt.optional("Comment for the playtester (optional):", instead)).trim();
  const body = { ...(rating !== "" && { rating: Number(rating) }), ...(comment && { comment }) };
  await ctx.api().acceptSlot({ params: { id: slot.id }, body });
  ctx.out.note(acceptedText("Accepted", nameOf(slot), payout));
  return "accepted";
}

const retries: readonly KeyChoice<"yes" | "no" | "back">[] = [
  { key: "y", value: "yes", name: "Allow a retry within 24 hours" },
  { key: "n", value: "no", name: "No retry: the playtester is not paid and the price is not refunded" },
  { key: "escape", value: "back", name: "Back" },
];

async function reject(ctx: Context, slot: Slot): Promise<Decision | undefined> {
  await requireWaiting(ctx, slot);
  const retry = await ctx.prompt.menu("Allow a retry?", retries, instead);
  if (retry === "back") return undefined;
  const reason = (await ctx.prompt.optional("Reason, shown to the playtester (optional):", instead)).trim();
  const allowRetry = retry === "yes";
  await ctx.api().rejectSlot({ params: { id: slot.id }, body: { ...(reason && { reason }), allowRetry } });
  ctx.out.note(allowRetry ? "Rejected. The playtester may try again." : "Rejected.");
  return "rejected";
}

const nameOf = ({ playtester }: Slot) => playtester?.displayName ?? "the playtester";

/** The conversation with a playtester, created if there is none yet. */
async function conversationWith(ctx: Context, playtesterId: string): Promise<string> {
  const { contacts } = await ctx.api().listContacts({});
  const known = (contacts as { id: string; conversationId: string | null }[]).find(({ id }) => id === playtesterId);
  if (known?.conversationId) return known.conversationId;
  return (await ctx.api().openConversation({ body: { contactId: playtesterId } })).conversation.id;
}

async function chat(ctx: Context, slot: Slot) {
  if (!slot.playtester) throw failure("This slot has no playtester.");
  // First, because it fails if the two may not chat.
  const id = await conversationWith(ctx, slot.playtester.id);
  const content = (await ctx.prompt.optional("Message (leave empty to cancel):", instead)).trim();
  if (content === "") return;
  await ctx.api().sendMessage({ params: { id }, body: { content } });
  ctx.out.note("Message sent.");
}

/** A submission that is being reviewed. */
interface Reviewing {
  slot: Slot;
  payout: Payout;
  /** The player that was last started and can say its position. */
  player: Player | undefined;
}

async function watchVideo(ctx: Context, reviewing: Reviewing) {
  const player = await play(ctx, reviewing.slot);
  await reviewing.player?.release();
  reviewing.player = player;
}

async function act(ctx: Context, reviewing: Reviewing, choice: Choice): Promise<Decision | undefined> {
  const { slot, payout } = reviewing;
  if (choice === "accept") return accept(ctx, slot, payout);
  if (choice === "reject") return reject(ctx, slot);
  if (choice === "skip") return "skipped";
  if (choice === "quit") return "quit";
  if (choice === "play") await watchVideo(ctx, reviewing);
  else if (choice === "note") await askNote(ctx, slot, reviewing.player);
  else if (choice === "finding") await askFinding(ctx, slot, reviewing.player);
  else if (choice === "chat") await chat(ctx, slot);
  else await ctx.out.raw(`${await readTranscript(ctx, slot.id)}\n`);
  return undefined;
}

/** Shows one submission and prompts until it is decided. Errors of the server are shown, then it prompts again. */
export async function decide(ctx: Context, slot: Slot, payout: Payout, position: string): Promise<Decision> {
  if (!ctx.prompt.possible) throw usage("This command requires a terminal with prompts enabled. Nothing was changed.", instead);
  ctx.out.note(`\n${position}`);
  const length = await lengthOf(ctx, slot);
  await ctx.out.emit(ctx.item({ slot: { ...slot, length, payoutCents: payout.payoutCents } }, submissionView));
  const reviewing: Reviewing = { slot, payout, player: undefined };
  try {
    return await untilDecided(ctx, reviewing);
  } finally {
    await reviewing.player?.release();
  }
}

async function untilDecided(ctx: Context, reviewing: Reviewing): Promise<Decision> {
  const choices = choicesFor(nameOf(reviewing.slot), reviewing.payout, ctx.withoutPayments());
  for (;;) {
    const choice = await ctx.prompt.menu("What do you want to do?", choices, instead);
    try {
      const decision = await act(ctx, reviewing, choice);
      if (decision) return decision;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      ctx.out.warn(error.message);
      // Someone else has decided it meanwhile.
      if (error.exitCode === exitCodes.conflict && (choice === "accept" || choice === "reject")) return "skipped";
    }
  }
}
