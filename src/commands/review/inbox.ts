import type { Data } from "../../api/client.ts";
import { webUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes, failure, usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import { readTranscript } from "./transcript.ts";
import { slotView } from "./view.ts";

/** Interactive review of one submission. */

type Slot = Data<"getSlot">["slot"];

export type Decision = "accepted" | "rejected" | "skipped" | "quit";

const instead = "Use `playtest review accept`, `reject` and `show`.";

const choices = [
  { key: "p", value: "play", name: "Play the video" },
  { key: "t", value: "transcript", name: "Read the transcript" },
  { key: "a", value: "accept", name: "Accept and pay the playtester" },
  { key: "r", value: "reject", name: "Reject" },
  { key: "c", value: "chat", name: "Send a message to the playtester" },
  { key: "s", value: "skip", name: "Skip" },
  { key: "q", value: "quit", name: "Quit" },
] as const;

async function play(ctx: Context, slot: Slot) {
  const { href } = webUrl((await ctx.api().getSlotDownloadUrl({ params: { id: slot.id } })).downloadUrl);
  const { openUrl } = await import("../../io/shell.ts");
  if (await openUrl(ctx.io, href, ctx.io.env.PLAYTEST_PLAYER)) return ctx.out.note("Opening the video.");
  ctx.out.warn("Cannot start a video player. Set PLAYTEST_PLAYER, or open this link:");
  ctx.out.note(href);
}

/** Prompts for a rating from 1 to 5, or nothing, until the answer is valid. */
async function askRating(ctx: Context): Promise<number | undefined> {
  for (;;) {
    const text = (await ctx.prompt.optional("Rating from 1 to 5 (optional):", instead)).trim();
    if (text === "") return undefined;
    if (/^[1-5]$/.test(text)) return Number(text);
    ctx.out.note("The rating must be a whole number from 1 to 5.");
  }
}

async function accept(ctx: Context, slot: Slot, payoutCents: number): Promise<Decision> {
  const rating = await askRating(ctx);
  const comment = (await ctx.prompt.optional("Comment for the playtester (optional):", instead)).trim();
  await ctx.api().acceptSlot({ params: { id: slot.id }, body: { ...(rating && { rating }), ...(comment && { comment }) } });
  ctx.out.note(
    `Accepted${payoutCents > 0 ? ` and paid ${slot.playtester?.displayName ?? "the playtester"} ${usd(payoutCents)}` : ""}.`,
  );
  return "accepted";
}

async function reject(ctx: Context, slot: Slot): Promise<Decision> {
  const reason = (await ctx.prompt.optional("Reason, shown to the playtester (optional):", instead)).trim();
  const allowRetry = await ctx.prompt.confirm("Allow a retry within 24 hours?", instead);
  await ctx.api().rejectSlot({ params: { id: slot.id }, body: { ...(reason && { reason }), allowRetry } });
  ctx.out.note(allowRetry ? "Rejected. The playtester may try again." : "Rejected.");
  return "rejected";
}

/** The conversation with a playtester, created if there is none yet. */
async function conversationWith(ctx: Context, playtesterId: string): Promise<string> {
  const { contacts } = await ctx.api().listContacts({});
  const known = (contacts as { id: string; conversationId: string | null }[]).find(({ id }) => id === playtesterId);
  if (known?.conversationId) return known.conversationId;
  return (await ctx.api().openConversation({ body: { contactId: playtesterId } })).conversation.id;
}

async function chat(ctx: Context, slot: Slot) {
  if (!slot.playtester) throw failure("This slot has no playtester.");
  const content = (await ctx.prompt.optional("Message (leave empty to cancel):", instead)).trim();
  if (content === "") return;
  const id = await conversationWith(ctx, slot.playtester.id);
  await ctx.api().sendMessage({ params: { id }, body: { content } });
  ctx.out.note("Message sent.");
}

async function act(ctx: Context, slot: Slot, payoutCents: number, choice: string): Promise<Decision | undefined> {
  if (choice === "accept") return accept(ctx, slot, payoutCents);
  if (choice === "reject") return reject(ctx, slot);
  if (choice === "skip") return "skipped";
  if (choice === "quit") return "quit";
  if (choice === "play") await play(ctx, slot);
  else if (choice === "chat") await chat(ctx, slot);
  else await ctx.out.raw(`${await readTranscript(ctx, slot.id)}\n`);
  return undefined;
}

/** Shows one submission and prompts until it is decided. Errors of the server are shown, then it prompts again. */
export async function decide(ctx: Context, slot: Slot, payoutCents: number, position: string): Promise<Decision> {
  if (!ctx.prompt.possible) throw usage("This command requires a terminal with prompts enabled. Nothing was changed.", instead);
  ctx.out.note(`\n${position}`);
  await ctx.out.emit(ctx.item({ slot }, slotView));
  for (;;) {
    const choice = await ctx.prompt.menu("What do you want to do?", choices, instead);
    try {
      const decision = await act(ctx, slot, payoutCents, choice);
      if (decision) return decision;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      ctx.out.warn(error.message);
      // Someone else has decided it meanwhile.
      if (error.exitCode === exitCodes.conflict && (choice === "accept" || choice === "reject")) return "skipped";
    }
  }
}
