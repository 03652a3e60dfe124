import type { Data } from "../../api/client.ts";
import { arg, type Context, define } from "../../cli/define.ts";
import { ciSummary, codeSpan } from "../../io/ci.ts";
import { bytes, plural, shortId, usd } from "../../io/text.ts";

type Playtest = Data<"getPlaytest">["playtest"];
type Slot = Data<"listSlots">["slots"][number];

/** A status is an open string: one that is not a plain word is shown as what it is, text. */
const word = (text: string) => (/^\w+$/.test(text) ? text.replaceAll("_", " ") : codeSpan(text));

function countsOf({ slots }: Playtest): string {
  const counts = Object.entries(slots).filter(([, count]) => count > 0);
  return counts.map(([status, count]) => `${count} ${word(status)}`).join(", ") || "no slots yet";
}

function about(playtest: Playtest): string {
  const { quantity, durationMinutes, costPerSlotCents } = playtest;
  const price = costPerSlotCents ? `, ${usd(costPerSlotCents * quantity)} in all` : "";
  return `${countsOf(playtest)}. Ordered: ${plural(quantity, "slot")} of ${durationMinutes} min${price}.`;
}

function said({ submission, rating, rejection }: Slot): string {
  const texts = [submission?.notes, rating?.comment, rejection?.reason && `rejected: ${rejection.reason}`];
  return texts.flatMap((text) => (text ? [codeSpan(text)] : [])).join(" — ");
}

function slotLine(slot: Slot): string {
  const { id, status, playtester, submission, rating } = slot;
  const parts = [
    `${codeSpan(shortId(id))} **${word(status)}**`,
    ...(playtester ? [`by ${codeSpan(playtester.displayName) || "nobody"}`] : []),
    ...(rating?.score === undefined || rating.score === null ? [] : [`rated ${rating.score}`]),
    ...(submission?.videoFileSize ? [bytes(submission.videoFileSize)] : []),
  ];
  const words = said(slot);
  return `- ${parts.join(", ")}${words ? `: ${words}` : ""}`;
}

/** A playtest as markdown in which what people wrote is never markup. */
export function summaryOf(playtest: Playtest, slots: readonly Slot[]): string {
  const title = `### Playtest of ${codeSpan(playtest.gameName) || "a game"}: ${word(playtest.status)}`;
  const waiting = playtest.slots.submitted ?? 0;
  const next = waiting > 0 ? ["", `To review: \`playtest review list\` (${plural(waiting, "video")} waiting).`] : [];
  return [title, "", about(playtest), "", ...slots.map(slotLine), ...next].join("\n");
}

async function slotsOf(ctx: Context, id: string): Promise<Slot[]> {
  const slots: Slot[] = [];
  for await (const page of ctx.pages("listSlots", { params: { id } }, { all: true })) slots.push(...(page.items as Slot[]));
  return slots;
}

export const summary = define({
  name: "summary",
  summary: "Describe a playtest in markdown, for the page of a CI job",
  description:
    "Printed, and added to the job's page where GITHUB_STEP_SUMMARY names it. Names, notes and comments are shown as plain text: they cannot\n" +
    "format, link or mention.",
  operation: ["getPlaytest", "listSlots"],
  args: { playtest: arg.playtest() },
  examples: ["playtest ci summary PLAYTEST", "playtest ci summary PLAYTEST -o summary.md"],
  async run({ args }, ctx) {
    const { playtest } = await ctx.api().getPlaytest({ params: { id: args.playtest } });
    const slots = await slotsOf(ctx, args.playtest);
    const markdown = summaryOf(playtest, slots);
    await ciSummary(ctx, markdown);
    return ctx.text(markdown, { result: { markdown, playtest, slots } });
  },
});
