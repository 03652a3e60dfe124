import type { Data } from "../../api/client.ts";
import { notTheApi, parseJson, readApiError, replyError, requireData } from "../../api/replies.ts";
import { retryAfter } from "../../api/retry.ts";
import type { HttpReply } from "../../api/types.ts";
import { type Context, define, detail, flag, viewOf } from "../../cli/define.ts";
import { type Instructions, paymentUri } from "../../contract/money/payment-uri.ts";
import { stillPending, usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";
import { fundsOf } from "../shared/price.ts";
import { requireSandbox } from "../shared/sandbox.ts";
import { type Receipt, receiptOf, signatureFor } from "../shared/wallet.ts";
import { requireWait } from "./checkout.ts";

type Credited = Data<"buyCreditWithCrypto">;

const path = "/billing/credit/x402";
const pollMs = 5_000;
const defaultWaitMs = 900_000;

interface Payment extends Pick<Instructions, "chain" | "currency" | "cryptoAmount" | "receiver"> {
  id?: string;
  network?: string;
  expiresAt?: string;
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
    "credit. With --wallet-command, a program signs the payment, and both steps are one. With --from, a payment from that address counts although it is late or of another amount. Exits with 8 while the transaction is not final; with --wait, waits until it is.",
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
    walletCommand: flag.text("With --amount: command that signs the payment (JSON on standard input and output)", {
      value: "COMMAND",
    }),
  },
  exits: [7, 8],
  examples: [
    "playtest billing credit x402 --amount 20 --qr",
    "playtest billing credit x402 --amount 20 --wallet-command 'node wallet.js'",
    "playtest billing credit x402 --tx 0x5a1c… --wait",
    "playtest billing credit x402 --amount 20 --chain solana --currency SOL --sandbox",
  ],
  async run({ body, flags }, ctx) {
    if ((flags.tx === undefined) === (body.amountCents === undefined))
      throw usage("Pass --amount to get payment instructions, or --tx for a transaction that you sent.");
    if (flags.tx !== undefined && flags.from !== undefined) throw usage("--from and --tx cannot be used together.");
    if (flags.tx !== undefined && flags.walletCommand !== undefined)
      throw usage("--wallet-command and --tx cannot be used together. Nothing was paid.");
    if (!flags.sandbox) requireWait(flags);
    if (flags.tx !== undefined) return redeem(ctx, flags.tx, flags);
    if (flags.walletCommand !== undefined) {
      if (flags.sandbox || flags.qr) throw usage("--wallet-command cannot be used together with --sandbox or --qr.");
      return sign(ctx, body, { ...flags, walletCommand: flags.walletCommand });
    }
    if (flags.wait && !flags.sandbox) throw usage("--wait requires --tx. Nothing was paid.");
    if (flags.sandbox) await requireSandbox(ctx);
    const { payment, instructions } = await requestInstructions(ctx, body, flags);
    if (flags.sandbox) return redeem(ctx, await sandboxTransaction(ctx, instructions), { ...flags, wait: true });
    const uri = paymentUri(instructions);
    if (uri === undefined)
      ctx.out.note("The server's instructions are too incomplete for a wallet link. Enter the payment in your wallet.");
    else if (flags.qr) await showQr(ctx, uri);
    const chosen = [
      ...(flags.chain ? [`--chain ${flags.chain}`] : []),
      ...(flags.currency ? [`--currency ${flags.currency}`] : []),
    ];
    ctx.out.note(`After sending it, run: playtest billing credit x402 ${[...chosen, "--tx HASH"].join(" ")} --wait`);
    const view = viewOf<Payment>([
      detail("send", (one) => `${one.cryptoAmount} ${one.currency}`),
      detail("to:receiver"),
      detail("on", (one) => (one.network ? `${one.chain} (${one.network})` : one.chain)),
      detail("payment:id", "text"),
      detail("expires:expiresAt"),
      ...(uri === undefined ? [] : [detail("wallet link", () => uri)]),
    ]);
    return { kind: "item", data: { result: { payment, uri: uri ?? null } }, subject: payment, view };
  },
});

const chainHeaders = ({ chain, currency }: Pick<Flags, "chain" | "currency">) => ({
  ...(chain && { "x-payment-chain": chain }),
  ...(currency && { "x-payment-currency": currency }),
});

const errorOf = (ctx: Context, reply: HttpReply) => replyError(reply, new URL(ctx.api().base));

/** The header of some servers: what a wallet needs beyond the error. Empty if it is missing or of another form. */
function detailsOf(header: string | undefined): Pick<Instructions, "atomicAmount" | "asset"> {
  const { maxAmountRequired, asset } = (parseJson(Buffer.from(header ?? "")) ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return { atomicAmount: text(maxAmountRequired), asset: text(asset) };
}

/** What the server answered to the first request, and what was sent with it. */
interface Asked {
  payment: Payment;
  instructions: Instructions;
  /** What a wallet is asked to sign. */
  required: string | undefined;
  headers: Record<string, string>;
  idempotencyKey: string;
}

/** Step 1: the server answers 402 with what to pay. */
async function requestInstructions(ctx: Context, body: object, flags: Flags): Promise<Asked> {
  if (flags.from !== undefined && !(await ctx.api().offers("proveDeposit")))
    throw usage("This server does not take --from: it cannot tie a payment to an address. Nothing was requested.");
  const headers = { "x-payment-method": "x402", ...chainHeaders(flags), ...(flags.from && { "x-payment-from": flags.from }) };
  const idempotencyKey = ctx.api().nextKey();
  const request = { method: "POST", path, headers, body, idempotencyKey };
  const reply = await ctx.api().exchange(request);
  const payment = readApiError(parseJson(reply.body))?.payment as Payment | undefined;
  if (reply.status === 402 && payment !== undefined) {
    const instructions = { ...payment, network: payment.network, ...detailsOf(reply.headers["x-payment"]) };
    return { payment, instructions, required: reply.headers["payment-required"], headers, idempotencyKey };
  }
  if (reply.status >= 300) throw errorOf(ctx, reply);
  throw await ctx.api().unusable(request, request.idempotencyKey, notTheApi(reply, new URL(ctx.api().base)));
}

async function sandboxTransaction(ctx: Context, { chain, currency, receiver, atomicAmount }: Instructions): Promise<string> {
  const body = { chain, currency, to: receiver, amount: atomicAmount } as Parameters<
    ReturnType<Context["api"]>["createTransaction"]
  >[0]["body"];
  return (await ctx.api().createTransaction({ body })).txHash;
}

/** Both steps at once: a program signs what the server asks for, and the same request goes there again with the signature. */
async function sign(ctx: Context, body: { amountCents?: number | undefined }, flags: Flags & { walletCommand: string }) {
  const { payment, required, headers, idempotencyKey } = await requestInstructions(ctx, body, flags);
  const { chain, receiver } = payment;
  const quoted = { header: required, chain, receiver, cents: body.amountCents };
  const signature = await signatureFor(ctx, flags.walletCommand, quoted);
  const request = { method: "POST", path, headers: { ...headers, ...signature }, body, idempotencyKey };
  const reply = await ctx.api().exchange(request);
  if (reply.status < 300) return credited(ctx, await creditedBy(ctx, request, reply), receiptOf(reply));
  if (reply.status !== 402 || retryAfter(reply.headers["retry-after"], ctx.now()) === undefined) throw errorOf(ctx, reply);
  const hint =
    "Do not run this again. If the payment was made, the server adds the credit by itself: see `playtest billing balance`.";
  throw stillPending(errorOf(ctx, reply).message, hint);
}

/** Step 2: submits the transaction; with --wait again and again until it is final. */
async function redeem(ctx: Context, txHash: string, flags: Flags) {
  const chain = flags.chain ?? "base";
  const currency = flags.currency ?? "USDC";
  const headers = { "x-payment": JSON.stringify({ txHash, chain, currency }) };
  const until = ctx.now() + (flags.for === undefined ? defaultWaitMs : flags.for * 1000);
  for (;;) {
    const reply = await submit(ctx, headers);
    if ("credited" in reply) return credited(ctx, reply.credited);
    const wait = retryAfter(reply.headers["retry-after"], ctx.now());
    if (reply.status !== 402 || wait === undefined) throw errorOf(ctx, reply);
    const { message } = errorOf(ctx, reply);
    if (!flags.wait || ctx.now() >= until) throw stillPending(message, "Run the same command again later, or add --wait.");
    ctx.out.note(message);
    await ctx.sleep(Math.max(pollMs, wait), ctx.signal);
  }
}

/** Sends the transaction. The error of a failed response is returned, because it may say to wait. */
async function submit(ctx: Context, headers: Record<string, string>): Promise<{ credited: Credited } | HttpReply> {
  const request = { method: "POST", path, headers, idempotencyKey: ctx.api().nextKey() };
  const reply = await ctx.api().exchange(request);
  return reply.status >= 300 ? reply : { credited: await creditedBy(ctx, request, reply) };
}

/** What a reply says was credited. */
async function creditedBy(
  ctx: Context,
  request: { method: string; path: string; idempotencyKey: string },
  reply: HttpReply,
): Promise<Credited> {
  const read = requireData(reply, "buyCreditWithCrypto", undefined, new URL(ctx.api().base)).catch(async (error: Error) => {
    throw await ctx.api().unusable(request, request.idempotencyKey, error);
  });
  return (await read).data as Credited;
}

async function credited(ctx: Context, data: Credited, receipt?: Receipt) {
  // The credit was added, whatever becomes of this request.
  const { balanceCents } = await fundsOf(ctx).catch(() => ({ balanceCents: undefined }));
  const balance = balanceCents === undefined ? "" : ` The balance is now ${usd(balanceCents)}.`;
  const result = { ...data, balanceCents: balanceCents ?? null, ...(receipt && { receipt }) };
  return ctx.text(`Added ${usd(data.creditedCents)}.${balance}`, { result });
}

async function showQr(ctx: Context, uri: string) {
  const { qrText } = await import("../../io/qr.ts");
  const code = await qrText(uri, ctx.out.paint("bold", "x") !== "x");
  if (code === undefined) return ctx.out.warn("The payment link does not fit into a QR code. Use the wallet link instead.");
  ctx.io.err(`${code}\n`);
}
