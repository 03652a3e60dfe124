import { type Context, flag } from "../../cli/define.ts";
import type { PaymentStatus, SubscriptionStatus } from "../../contract/states/index.ts";
import { CliError, exitCodes, stillPending, usage } from "../../errors.ts";
import { withReconnect } from "../shared/reconnect.ts";

/** Flags of commands with a hosted checkout page. */
export const checkoutFlags = {
  open: flag.toggle("Open the page in the browser"),
  wait: flag.toggle("Wait until the payment is complete"),
  for: flag.duration("With --wait: how long to wait (default 15m)"),
  sandbox: flag.toggle("Complete the payment immediately (sandbox servers only)"),
};

export interface CheckoutFlags {
  open: boolean;
  wait: boolean;
  for: number | undefined;
  sandbox: boolean;
}

/** --for says how long to wait, so that it is of no use alone. */
export function requireWait({ wait, for: limit }: { wait: boolean; for: number | undefined }): void {
  if (limit !== undefined && !wait) throw usage("--for requires --wait. Nothing was paid.");
}

const pollMs = 2_000;
const defaultWaitMs = 900_000;

/** Opens the checkout page in the browser, if --open was given. */
export async function openPage(ctx: Context, url: string, flags: CheckoutFlags): Promise<void> {
  if (flags.sandbox) return;
  if (flags.open && !(await (await import("../../io/shell.ts")).openSecretUrl(ctx.io, url)))
    ctx.out.warn("Could not open a browser. Open the address yourself.");
}

/** Polls until `look` returns a result. Exit 8 when that takes too long. */
export async function pollUntilPaid<T>(
  ctx: Context,
  flags: CheckoutFlags,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const until = ctx.now() + (flags.for === undefined ? defaultWaitMs : flags.for * 1000);
  const check = withReconnect(ctx, look);
  let found = await check();
  if (found !== undefined) return found;
  const progress = await ctx.progress();
  try {
    while (found === undefined) {
      if (ctx.now() >= until)
        throw stillPending(
          `The ${what} has not been paid yet.`,
          "You can still pay at the checkout page until it expires. Running the same command again makes a new one.",
        );
      progress.update(`Waiting for the ${what} to be paid`);
      await ctx.sleep(pollMs, ctx.signal);
      found = await check();
    }
    return found;
  } finally {
    progress.done();
  }
}

/** Polls until the payment is paid or has ended without it. Exit 8 when that takes too long. */
export const pollPayment = (ctx: Context, flags: CheckoutFlags, what: string, id: string) =>
  pollUntilPaid(ctx, flags, what, async () => {
    const { payment } = await ctx.api().getPayment({ params: { id } });
    return payment.status === "pending" ? undefined : payment;
  });

export const notPaid = (what: string, status: PaymentStatus | SubscriptionStatus | "none") =>
  new CliError("NOT_PAID", exitCodes.payment, `The ${what} was not paid (status: ${status}).`, {
    hint: "To start again, run the same command.",
  });
