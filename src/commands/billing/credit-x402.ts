import { parseJson, replyError } from "../../api/replies.ts";
import { retryAfter } from "../../api/retry.ts";
import type { HttpReply } from "../../api/types.ts";
import { type Context, define, detail, flag } from "../../cli/define.ts";
import { stillPending, usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import { requireSandbox } from "../shared/sandbox.ts";
import { type Instructions, paymentUri } from "./payment-uri.ts";

const path = "/billing/credit/x402";
const pollMs = 5_000;
const defaultWaitMs = 900_000;

interface Payment extends Omit<Instructions, "atomicAmount" | "asset"> {
  id: string;
  expiresAt: string;
}

interface Flags {
  chain: string | undefined;
  currency: string | undefined;
  from: string | undefined;
  wait: boolean;
  for: number | undefined;
}

export const creditX402 = define({
  name: "credit x402",
  summary: "Buy credit with crypto, in two steps",
  description:
    "Step 1, with --amount: prints how much to send, to which address and by when. Step 2, after sending the transaction, with --tx: adds the\n" +
    "credit. With --from, a payment from that address counts although it is late or of another amount. Exits with 8 while the transaction is not final; with --wait, waits until it is.",
  operation: ["buyCreditWithCrypto", "createTransaction"],
  body: "buyCreditWithCrypto",
  flags: {
    chain: flag.choice(["base", "ethereum", "solana"], "Blockchain to pay on (default base)"),
    currency: flag.choice(["USDC", "ETH", "SOL"], "Currency to pay in (default USDC)"),
    tx: flag.text("Hash of the transaction that you sent", { value: "HASH" }),
    from: flag.text("With --amount: address that you will send it from", { value: "ADDRESS" }),
    qr: flag.toggle("Show a QR code for a wallet"),
    wait: flag.toggle("With --tx: wait until the transaction is final"),
    for: flag.duration("With --wait: how long to wait (default 15m)"),
    sandbox: flag.toggle("Create the transaction on the sandbox chain and pay with it"),
  },
  exits: [7, 8],
  examples: [
    "playtest billing credit x402 --amount 20 --qr",
    "playtest billing credit x402 --tx 0x5a1c… --wait",
    "playtest billing credit x402 --amount 20 --chain solana --currency SOL --sandbox",
  ],
  async run({ body, flags }, ctx) {
    if ((flags.tx === undefined) === (body.amountCents === undefined))
      throw usage("Pass --amount to get payment instructions, or --tx for a transaction that you sent.");
    if (flags.tx !== undefined && flags.from !== undefined) throw usage("--from and --tx cannot be used together.");
    if (flags.tx !== undefined) return redeem(ctx, flags.tx, flags);
    if (flags.sandbox) await requireSandbox(ctx);
    const { payment, instructions } = await requestInstructions(ctx, body, flags);
    if (flags.sandbox) return redeem(ctx, await sandboxTransaction(ctx, instructions), { ...flags, wait: true });
    const uri = paymentUri(instructions);
    if (flags.qr) await showQr(ctx, uri);
    const chosen = [
      ...(flags.chain ? [`--chain ${flags.chain}`] : []),
      ...(flags.currency ? [`--currency ${flags.currency}`] : []),
    ];
    ctx.out.note(`After sending it, run: playtest billing credit x402 ${[...chosen, "--tx HASH"].join(" ")} --wait`);
    const view = {
      columns: [
        detail("send", (one: Record<string, unknown>) => `${one.cryptoAmount} ${one.currency}`),
        detail("to", "receiver"),
        detail("on", (one: Record<string, unknown>) => `${one.chain} (${one.network})`),
        detail("payment", "id"),
        detail("expires", "expiresAt", "ago"),
        detail("wallet link", () => uri),
      ],
    };
    return { kind: "item", data: { result: { payment, uri } }, subject: payment, view };
  },
});

const chainHeaders = ({ chain, currency }: Pick<Flags, "chain" | "currency">) => ({
  ...(chain && { "x-payment-chain": chain }),
  ...(currency && { "x-payment-currency": currency }),
});

const errorOf = (ctx: Context, reply: HttpReply) => replyError(reply, new URL(ctx.api().base));

/** Step 1: the server answers 402 with what to pay. */
async function requestInstructions(
  ctx: Context,
  body: object,
  flags: Flags,
): Promise<{ payment: Payment; instructions: Instructions }> {
  const headers = { "x-payment-method": "x402", ...chainHeaders(flags), ...(flags.from && { "x-payment-from": flags.from }) };
  const reply = await ctx.api().exchange({ method: "POST", path, headers, body });
  const payment = (parseJson(reply.body) as { error?: { payment?: Payment } } | undefined)?.error?.payment;
  if (reply.status !== 402 || payment === undefined) throw errorOf(ctx, reply);
  const full = JSON.parse(reply.headers["x-payment"] ?? "{}") as { maxAmountRequired?: string; asset?: string };
  return { payment, instructions: { ...payment, atomicAmount: full.maxAmountRequired ?? "", asset: full.asset || undefined } };
}

async function sandboxTransaction(ctx: Context, { chain, currency, receiver, atomicAmount }: Instructions): Promise<string> {
  const body = { chain, currency, to: receiver, amount: atomicAmount } as Parameters<
    ReturnType<Context["api"]>["createTransaction"]
  >[0]["body"];
  return (await ctx.api().createTransaction({ body })).txHash;
}

/** Step 2: submits the transaction; with --wait again and again until it is final. */
async function redeem(ctx: Context, txHash: string, flags: Flags) {
  const chain = flags.chain ?? "base";
  const currency = flags.currency ?? "USDC";
  const headers = { "x-payment": JSON.stringify({ txHash, chain, currency }) };
  const until = ctx.now() + (flags.for === undefined ? defaultWaitMs : flags.for * 1000);
  for (;;) {
    const reply = await ctx.api().exchange({ method: "POST", path, headers });
    if (reply.status < 300) return credited(ctx, reply);
    const wait = retryAfter(reply.headers["retry-after"], ctx.now());
    if (reply.status !== 402 || wait === undefined) throw errorOf(ctx, reply);
    const { message } = errorOf(ctx, reply);
    if (!flags.wait || ctx.now() >= until) throw stillPending(message, "Run the same command again later, or add --wait.");
    ctx.out.note(message);
    await ctx.sleep(Math.max(pollMs, wait), ctx.signal);
  }
}

async function credited(ctx: Context, reply: HttpReply) {
  const { data } = parseJson(reply.body) as { data: { creditedCents: number; message: string; paymentId: string } };
  const { balanceCents } = await ctx.api().getBalance({});
  return ctx.text(`Added ${usd(data.creditedCents)}. The balance is now ${usd(balanceCents)}.`, {
    result: { ...data, balanceCents },
  });
}

async function showQr(ctx: Context, uri: string) {
  const { qrCode, qrText } = await import("../../io/qr.ts");
  const code = qrCode(uri);
  if (!code) return ctx.out.warn("The payment link does not fit into a QR code. Use the wallet link instead.");
  // White on black, whatever colors the terminal has: a camera needs dark modules on a light background.
  const colored = ctx.out.paint("bold", "x") !== "x";
  ctx.io.err(`${qrText(code, colored ? (line) => `\u001b[97;40m${line}\u001b[0m` : undefined)}\n`);
}
