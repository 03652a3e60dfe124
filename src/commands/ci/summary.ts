import type { Data } from "../../api/client.ts";
import { arg, type Context, define } from "../../cli/define.ts";
import { codeSpan } from "../../contract/text/one-line.ts";
import { ciSummary } from "../../io/ci.ts";
import { bytes, plural, usd } from "../../io/text.ts";
import { findingsOfPlaytest } from "../shared/findings/of-playtest.ts";
import type { Finding } from "../shared/findings/source.ts";
import { slotsOf } from "../shared/slots.ts";

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

/** So many findings are shown, those of the highest rank. */
const mostFindings = 5;

function findingLine({ number, title, testers: { seen, of }, severity, status, issue }: Finding): string {
  const facts = [`${seen} of ${of}`, ...(severity === null ? [] : [`severity ${severity}`]), statusText(status)];
  // Without a number sign, which would lead to an issue of another tracker.
  return `${number}. ${codeSpan(title)}: ${facts.join(", ")}${issue?.key ? ` (${codeSpan(issue.key)})` : ""}`;
}

function findingLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const left = findings.length - mostFindings;
  const more = left > 0 ? ["", `And ${plural(left, "more finding")}: \`playtest findings list\`.`] : [];
  return ["", "#### Findings, by rank", "", ...findings.slice(0, mostFindings).map(findingLine), ...more];
}

/** A playtest as Markdown. Text that people wrote is shown as code, so that it cannot format, link or mention. */
export function summaryOf(playtest: Playtest, slots: readonly Slot[], findings: readonly Finding[]): string {
  const title = `### Playtest of ${codeSpan(playtest.gameName) || "a game"}: ${statusText(playtest.status)}`;
  const waiting = playtest.slots.submitted ?? 0;
  const reviewHint = waiting > 0 ? ["", `To review ${plural(waiting, "submitted video")}: \`playtest review list\`.`] : [];
  return [title, "", overview(playtest), "", ...slots.map(slotLine), ...findingLines(findings), ...reviewHint].join("\n");
}

/** The summary of a playtest, with what it is made of. */
export async function summarized(ctx: Context, id: string) {
  const { playtest } = await ctx.api().getPlaytest({ params: { id } });
  const slots = await slotsOf(ctx, id);
  const { findings } = await findingsOfPlaytest(ctx, playtest);
  return { markdown: summaryOf(playtest, slots, findings), playtest, slots, findings };
}

export const summary = define({
  name: "summary",
  summary: "Summarize a playtest in Markdown, for the page of a CI job",
  description:
    "Prints the summary, with the five findings of the highest rank, and appends it to the file that GITHUB_STEP_SUMMARY names. Names, notes and comments are shown as plain text: they\n" +
    "cannot format, link or mention.",
  operation: ["getPlaytest", "listSlots", "listFindings"],
  args: { playtest: arg.playtest() },
  examples: ["playtest ci summary PLAYTEST", "playtest ci summary PLAYTEST -o summary.md"],
  async run({ args }, ctx) {
    const result = await summarized(ctx, args.playtest);
    await ciSummary(ctx, result.markdown);
    return ctx.verbatim(result.markdown, { result });
  },
});
