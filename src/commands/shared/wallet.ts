import type { Reply } from "../../api/client.ts";
import { parseJson } from "../../api/replies.ts";
import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes, failure, tooExpensive, usage } from "../../errors.ts";
import { usd } from "../../io/text.ts";

/** Payments that a program signs: it gets what a standard x402 client reads, and answers what such a client sends. */

interface Requirements {
  x402Version?: unknown;
  accepts?: { amount?: unknown }[];
}

/** What became of the payment, as the server says. */
export interface Receipt {
  transaction: string;
  network: string;
  payer: string;
}

const nothing = "Nothing was paid.";

/** Throws unless the flags name a way to pay that a wallet signs for. */
export function checkWallet(
  method: string,
  flags: { walletCommand: string | undefined; tx: string | undefined },
  option: string,
): void {
  if (flags.walletCommand === undefined) return;
  if (method !== "x402") throw usage(`--wallet-command requires ${option}. ${nothing}`);
  if (flags.tx !== undefined) throw usage(`--wallet-command and --tx cannot be used together. ${nothing}`);
}

/** What the server asks for, if a signature can pay it. */
function requirementsIn(error: CliError): Requirements {
  const header = error.extra.paymentRequired;
  const required = header === undefined ? undefined : (parseJson(Buffer.from(header, "base64")) as Requirements | undefined);
  if (Array.isArray(required?.accepts)) return required;
  throw new CliError("NOT_OFFERED", exitCodes.payment, `This server does not take signed payments here. ${nothing}`, {
    hint: "Leave out --wallet-command, send the payment yourself, and pass --tx HASH. Signed payments are for USDC on Base or Ethereum.",
  });
}

/** USDC has six digits after the point. */
const atomicPerCent = 10_000n;

/** The user agreed to a price, and a server may ask for another one. */
function checkAmount({ accepts = [] }: Requirements, cents: number | undefined): void {
  if (cents === undefined) return;
  const isWithin = ({ amount }: { amount?: unknown }) =>
    typeof amount === "string" && /^\d+$/.test(amount) && BigInt(amount) <= BigInt(cents) * atomicPerCent;
  if (accepts.length > 0 && accepts.every(isWithin)) return;
  throw tooExpensive(
    `The server asks for another amount than ${usd(cents)}. ${nothing}`,
    "Look at the price again: playtest quote",
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
  return { "payment-signature": Buffer.from(JSON.stringify(signed)).toString("base64") };
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
  const required = requirementsIn(asked);
  checkAmount(required, cents);
  const header = await signedBy(ctx, command, required);
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
