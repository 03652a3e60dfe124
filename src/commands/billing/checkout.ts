import { type Context, flag } from "../../cli/define.ts";
import type { PaymentStatus, SubscriptionStatus } from "../../contract/states/index.ts";
import { CliError, exitCodes, stillPending } from "../../errors.ts";

/** What to do about a checkout page that a person has to go through. */
export const checkoutFlags = {
  open: flag.toggle("Open the page in the browser"),
  wait: flag.toggle("Wait until it is paid"),
  for: flag.duration("How long to wait (default 15m)"),
  sandbox: flag.toggle("Pay at once through the sandbox's own route, for scripts"),
};

interface CheckoutFlags {
  open: boolean;
  wait: boolean;
  for: number | undefined;
  sandbox: boolean;
}

const pollMs = 2_000;
const longestMs = 900_000;

/** Shows the page, and opens it where asked to. */
export async function present(ctx: Context, url: string, flags: CheckoutFlags): Promise<void> {
  if (flags.sandbox) return;
  if (flags.open && !(await (await import("../../io/shell.ts")).openUrl(ctx.io, url)))
    ctx.out.warn("No browser could be opened; open the address by hand.");
}

/** Asks `look` until it answers something. Exit 8 when that takes too long. */
export async function waitFor<T>(
  ctx: Context,
  flags: CheckoutFlags,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const until = ctx.now() + (flags.for === undefined ? longestMs : flags.for * 1000);
  let found = await look();
  if (found !== undefined) return found;
  const progress = await ctx.progress();
  try {
    while (found === undefined) {
      if (ctx.now() >= until) throw stillPending(`${what} is not paid yet.`, "The page stays open for 24 hours.");
      progress.update(`Waiting for ${what} to be paid`);
      await ctx.sleep(pollMs, ctx.signal);
      found = await look();
    }
    return found;
  } finally {
    progress.done();
  }
}

export const notPaid = (what: string, status: PaymentStatus | SubscriptionStatus | "gone") =>
  new CliError("NOT_PAID", exitCodes.payment, `${what} was not paid: it is ${status}.`, {
    hint: "Start again with the same command.",
  });
