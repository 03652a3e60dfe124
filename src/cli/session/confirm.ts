import { declined, tooExpensive } from "../../errors.ts";
import type { Prompt } from "../../io/prompt.ts";
import { usd } from "../../io/text.ts";
import type { Context, Spending } from "../context.ts";
import type { GlobalValues } from "../globals.ts";

/** The questions before something is destroyed or money is spent. */
export function confirmations(prompt: Prompt, flags: GlobalValues): Pick<Context, "confirm" | "confirmSpend"> {
  const skip = flags.yes || flags.dryRun;

  async function confirm(question: string | (() => Promise<string>), notDone?: string) {
    if (skip) return;
    const asked = typeof question === "string" ? question : await question();
    if (!(await prompt.confirm(asked, "Pass --yes to confirm.", notDone))) throw declined(notDone && `Cancelled. ${notDone}`);
  }

  async function confirmSpend({ what, cents, balanceCents, maxCents }: Spending) {
    if (maxCents !== undefined && cents > maxCents)
      throw tooExpensive(`${what}: the cost of ${usd(cents)} exceeds --max-cost ${usd(maxCents)}. Nothing was sent.`);
    if (cents === 0 || maxCents !== undefined || skip) return;
    const balance = balanceCents === undefined ? "" : ` Balance: ${usd(balanceCents)}.`;
    const question = `${what} for ${usd(cents)}?${balance}`;
    if (!(await prompt.confirm(question, "Pass --yes to confirm, or --max-cost to set a limit."))) throw declined();
  }

  return { confirm, confirmSpend };
}
