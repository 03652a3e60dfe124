import type { Reply } from "../../api/client.ts";
import { parseJson } from "../../api/replies.ts";
import type { Context } from "../../cli/define.ts";
import { usdcOn } from "../../contract/money/usdc.ts";
import { CliError, exitCodes, failure, tooExpensive, usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";

/** Payments that a program signs: it gets what a standard x402 client reads, and answers what such a client sends. */

/** What one signature is asked for: an amount of a token, on a network, to an address. */
interface Terms {
  network: string;
  asset: string;
  payTo: string;
  /** In the smallest units of the token. */
  amount: string;
}

interface Requirements {
  x402Version?: unknown;
  accepts: Terms[];
}

/** What became of the payment, as the server says. */
export interface Receipt {
  transaction: string;
  network: string;
  payer: string;
}

const nothing = "Nothing was paid.";

/** The flags of a crypto payment. */
const cryptoFlags = { tx: "--tx", from: "--from", chain: "--chain", currency: "--currency", walletCommand: "--wallet-command" };

/** Throws if flags of a crypto payment go with another way to pay, which would charge somebody who has paid, or name both kinds of one. */
export function checkCrypto(
  method: string,
  flags: Readonly<Record<keyof typeof cryptoFlags, string | undefined>>,
  option: string,
): void {
  const given = Object.entries(cryptoFlags).find(([name]) => flags[name as keyof typeof cryptoFlags] !== undefined);
  if (given && method !== "x402") throw usage(`${given[1]} requires ${option}. ${nothing}`);
  if (flags.walletCommand !== undefined && flags.tx !== undefined)
    throw usage(`--wallet-command and --tx cannot be used together. ${nothing}`);
}

const isTerms = (given: unknown): given is Terms => {
  const { network, asset, payTo, amount } = (given ?? {}) as Partial<Record<keyof Terms, unknown>>;
  return [network, asset, payTo, amount].every((one) => typeof one === "string") && /^\d{1,30}$/.test(amount as string);
};

/** What the server asks for, if a signature can pay it. */
function requirementsIn(header: string | undefined): Requirements {
  const required = header === undefined ? undefined : parseJson(Buffer.from(header, "base64"));
  const { accepts } = (required ?? {}) as Partial<Requirements>;
  if (Array.isArray(accepts) && accepts.length > 0 && accepts.every(isTerms)) return required as Requirements;
  throw new CliError("NOT_OFFERED", exitCodes.payment, `This server does not take signed payments here. ${nothing}`, {
    hint: "Leave out --wallet-command, send the payment yourself, and pass --tx HASH. Signed payments are for USDC on Base or Ethereum.",
  });
}

/** USDC has six digits after the point. */
const atomicPerCent = 10_000n;

/** The payment that the server quoted, and what the user agreed to. */
export interface Quoted {
  chain: string;
  receiver: string;
  cents: number | undefined;
}

const same = (one: unknown, other: string) => typeof one === "string" && one.toLowerCase() === other.toLowerCase();

/** The user agreed to a price on a chain, and a server may ask a wallet for something else. */
function checkTerms({ accepts }: Requirements, { chain, receiver, cents }: Quoted): void {
  for (const { network, asset, payTo, amount } of accepts) {
    const token = usdcOn[network];
    if (token?.chain !== chain) throw otherTerms(`to pay on ${network}, which is not ${chain}`);
    if (token.contract !== null && !same(asset, token.contract))
      throw otherTerms(`for the token ${asset}, which is not USDC on ${chain}`);
    if (!same(payTo, receiver)) throw otherTerms(`to pay ${payTo}, although its instructions name ${receiver}`);
    if (cents !== undefined && BigInt(amount) > BigInt(cents) * atomicPerCent)
      throw tooExpensive(
        `The server asks for another amount than ${usd(cents)}. ${nothing}`,
        "Look at the price again: playtest quote",
      );
  }
}

const otherTerms = (what: string) =>
  failure(`The server asks the wallet ${what}. ${nothing}`, "Do not sign it. Tell the operator of the server.");

/** A wallet may have signed something else than it was asked for: what it did not sign as asked is not sent on. */
function checkSigned({ accepts }: Requirements, signed: unknown): void {
  const { accepted, payload } = signed as { accepted?: Partial<Terms>; payload?: { authorization?: Record<string, unknown> } };
  const authorization = payload?.authorization;
  const isSame = ({ network, asset, payTo, amount }: Terms) =>
    accepted?.network === network &&
    same(accepted.asset, asset) &&
    same(accepted.payTo, payTo) &&
    accepted.amount === amount &&
    same(authorization?.to, payTo) &&
    authorization?.value === amount;
  if (accepts.some(isSame)) return;
  throw failure(
    `The wallet command signed another payment than the server asked for. The server got nothing. ${nothing}`,
    "Its network, token, receiver and amount must be those that it read from standard input.",
  );
}

/** The header with what the program signed. */
async function signedBy(ctx: Context, command: string, required: Requirements): Promise<Record<string, string>> {
  const { shellOutput } = await import("../../io/shell.ts");
  const { code, out } = await shellOutput(ctx.io, command, { input: `${JSON.stringify(required)}\n` });
  if (code !== 0) throw failure(`The wallet command ended with ${code}. ${nothing}`, "Its messages are above.");
  const signed = parseJson(Buffer.from(out));
  if (typeof signed !== "object" || signed === null || Array.isArray(signed))
    throw failure(`The wallet command did not print a JSON object. ${nothing}`, "It must print the x402 payment payload.");
  checkSigned(required, signed);
  return { "payment-signature": Buffer.from(JSON.stringify(signed)).toString("base64") };
}

/** Has a wallet sign what a 402 asks for in its header `PAYMENT-REQUIRED`; the header that answers it. */
export async function signatureFor(
  ctx: Context,
  command: string,
  { header, ...quoted }: Quoted & { header: string | undefined },
): Promise<Record<string, string>> {
  const required = requirementsIn(header);
  checkTerms(required, quoted);
  return signedBy(ctx, command, required);
}

/**
 * Sends a request, has the wallet sign what its 402 asks for, and sends it again with the signature, under the same idempotency key.
 * `cents`: what the user agreed to.
 */
export async function payWithWallet<T>(
  ctx: Context,
  { command, cents }: { command: string; cents: number | undefined },
  send: (headers: Record<string, string>) => Promise<Reply<T>>,
): Promise<Reply<T>> {
  const asked = await send({}).catch((error: unknown) => {
    if (error instanceof CliError && error.extra.payment !== undefined) return error;
    throw error;
  });
  if (!(asked instanceof CliError)) return asked;
  const { payment, paymentRequired } = asked.extra;
  const { chain = "", receiver = "" } = (payment ?? {}) as { chain?: string; receiver?: string };
  const header = await signatureFor(ctx, command, { header: paymentRequired, chain, receiver, cents });
  return send(header).catch((error: unknown) => {
    throw error instanceof CliError && error.exitCode === exitCodes.pending ? unsure(error) : error;
  });
}

/** The server completes it by itself, and signing again could pay twice. */
const unsure = (error: CliError) =>
  new CliError(error.code, error.exitCode, error.message, {
    ...error.extra,
    hint: "Do not run this again. If the payment was made, the server completes the order by itself: see `playtest playtests list`.",
  });

/** The receipt of a reply. Undefined if nothing was signed for it. */
export function receiptOf({ headers }: Pick<Reply<unknown>, "headers">): Receipt | undefined {
  const header = headers["payment-response"];
  const read = header === undefined ? undefined : (parseJson(Buffer.from(header, "base64")) as Partial<Receipt> | undefined);
  const { transaction, network, payer } = read ?? {};
  if (typeof transaction !== "string" || transaction === "") return undefined;
  return { transaction, network: String(network), payer: String(payer) };
}
