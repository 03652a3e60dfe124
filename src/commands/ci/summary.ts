import type { Data } from "../../api/client.ts";
import { arg, type Context, define } from "../../cli/define.ts";
import { codeSpan } from "../../contract/text/one-line.ts";
import { ciSummary } from "../../io/ci.ts";
import { bytes, plural, usd } from "../../io/text.ts";

type Playtest = Data<"getPlaytest">["playtest"];
type Slot = Data<"listSlots">["slots"][number];

/** Statuses are open strings: one that is not a plain word is shown as code. */
const statusText = (given: string | null | undefined) => shownStatus(given ?? "unknown");
const shownStatus = (text: string) => (/^\w+$/.test(text) ? text.replaceAll("_", " ") : codeSpan(text));

function countsOf({ slots }: Playtest): string {
  const counts = Object.entries(slots).filter(([, count]) => (count ?? 0) > 0);
  return counts.map(([status, count]) => `${count} ${statusText(status)}`).join(", ") || "no slots yet";
}

function overview(playtest: Playtest): string {
  const { quantity, durationMinutes, costPerSlotCents } = playtest;
  const price = costPerSlotCents && quantity ? ` for ${usd(costPerSlotCents * quantity)}` : "";
  const length = durationMinutes ? ` of ${durationMinutes} min` : "";
  return `${countsOf(playtest)}. Ordered: ${plural(quantity, "slot")}${length}${price}.`;
}

function remarks({ submission, rating, rejection }: Slot): string {
  const texts = [submission?.notes, rating?.comment, rejection?.reason && `rejected: ${rejection.reason}`];
  return texts.flatMap((text) => (text ? [codeSpan(text)] : [])).join(" — ");
}

function slotLine(slot: Slot): string {
  const { id, status, playtester, submission, rating } = slot;
  const parts = [
    `${codeSpan(id)} **${statusText(status)}**`,
    ...(playtester ? [`by ${codeSpan(playtester.displayName) || "unknown"}`] : []),
    ...(rating?.score === undefined || rating.score === null ? [] : [`rated ${rating.score}`]),
    ...(submission?.videoFileSize ? [bytes(submission.videoFileSize)] : []),
  ];
  const text = remarks(slot);
  return `- ${parts.join(", ")}${text ? `: ${text}` : ""}`;
}

/** A playtest as Markdown. Text that people wrote is shown as code, so that it cannot format, link or mention. */
export function summaryOf(playtest: Playtest, slots: readonly Slot[]): string {
  const title = `### Playtest of ${codeSpan(playtest.gameName) || "a game"}: ${statusText(playtest.status)}`;
  const waiting = playtest.slots.submitted ?? 0;
  const reviewHint = waiting > 0 ? ["", `To review ${plural(waiting, "submitted video")}: \`playtest review list\`.`] : [];
  return [title, "", overview(playtest), "", ...slots.map(slotLine), ...reviewHint].join("\n");
}

async function slotsOf(ctx: Context, id: string): Promise<Slot[]> {
  const slots: Slot[] = [];
  for await (const page of ctx.pages("listSlots", { params: { id } }, { all: true })) slots.push(...(page.items as Slot[]));
  return slots;
}

export const summary = define({
  name: "summary",
  summary: "Summarize a playtest in Markdown, for the page of a CI job",
  description:
    "Prints the summary, and appends it to the file that GITHUB_STEP_SUMMARY names. Names, notes and comments are shown as plain text: they\n" +
    "cannot format, link or mention.",
  operation: ["getPlaytest", "listSlots"],
  args: { playtest: arg.playtest() },
  examples: ["playtest ci summary PLAYTEST", "playtest ci summary PLAYTEST -o summary.md"],
  async run({ args }, ctx) {
    const { playtest } = await ctx.api().getPlaytest({ params: { id: args.playtest } });
    const slots = await slotsOf(ctx, args.playtest);
    const markdown = summaryOf(playtest, slots);
    await ciSummary(ctx, markdown);
    return ctx.verbatim(markdown, { result: { markdown, playtest, slots } });
  },
});
