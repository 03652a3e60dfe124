import type { ChainName, Currency } from "../../../../src/contract/headers.ts";
import { paymentUri } from "../../../../src/contract/money/payment-uri.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { isReturnable } from "../../../billing/rules.ts";
import { ApiError, invalid } from "../../../lib/api-error.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup, type PageContent } from "../../html.ts";
import { cardCredit, centsIn, cryptoCredit, leastDollars } from "../../shared/amounts.ts";
import { errorText } from "../../shared/error-text.ts";
import { alert, copied, fault, marked, tokens } from "../../shared/parts.ts";
import { qrCode } from "../../shared/qr.ts";
import { time } from "../../shared/text.ts";
import { studioLayout } from "../layout.ts";
import { continueToCheckout } from "../orders/pay.ts";
import { action, type StudioContext } from "../types.ts";

/** Where a checkout leads back to; nowhere from a server without an address that browsers may be sent to. */
const returnUrl = ({ site, account }: StudioContext, done: string): { returnUrl?: string } => {
  const url = `${site.baseUrl}${studio.billing()}?done=${done}`;
  return account.instance === null && isReturnable(url) ? { returnUrl: url } : {};
};

const labels = { amountCents: { label: "Amount", id: "amount" } };

export const addCredit = action({ at: studio.billing.below("credit"), fields: labels }, async (context) => {
  const { call, form } = context;
  const amountCents = centsIn(form, "amountCents", cardCredit);
  if (amountCents === undefined) throw invalid("amountCents", "is required");
  const body = { amountCents, ...returnUrl(context, "credit") };
  const { data } = await call("buyCredit", { idempotencyKey: form.formKey, body });
  return continueToCheckout(context, data.checkoutUrl, data.amountCents);
});

const pairOf = (chain: string, currency: string) => `${chain} ${currency}`;

export function cryptoForm(context: StudioContext): Markup {
  const { site, form } = context;
  return html`<form method="post" action="${askAt()}">${tokens(context)}
<label for="crypto-amount">Or in crypto <span class="soft">(in dollars, at least ${leastDollars(cryptoCredit)})</span></label>
<input id="crypto-amount" name="cryptoCents" inputmode="decimal" autocomplete="off" maxlength="20" value="${form.cryptoCents ?? "50"}" required${marked(context, "crypto-amount")}>
${fault(context, "crypto-amount")}
<label for="pair">Coin</label>
<select id="pair" name="pair">${site.crypto.map(({ chain, currency }) => html`<option value="${pairOf(chain, currency)}"${pairOf(chain, currency) === form.pair && html` selected`}>${currency} on ${chain}</option>`)}</select>
<button class="quiet">Show where to pay</button></form>`;
}

const askAt = studio.billing.below("crypto");
const sentAt = studio.billing.below("crypto/sent");

/** What a wallet needs, as the refusal of a first request says it. */
interface Instructions {
  chain: ChainName;
  currency: Currency;
  cryptoAmount: string;
  receiver: string;
  network: string;
  expiresAt: string;
}

/** The amount in the smallest unit and the token, which the header has besides. */
function headerOf({ headers }: ApiError): { atomicAmount?: string; asset?: string } {
  const { maxAmountRequired: atomicAmount, asset } = JSON.parse(headers?.["X-Payment"] ?? "{}") as Record<string, string>;
  return { ...(atomicAmount !== undefined && { atomicAmount }), ...(asset !== undefined && { asset }) };
}

const isOf = (error: unknown): error is ApiError => error instanceof ApiError && error.payment !== undefined;

/** Whether a transaction sent now could still pay this, and whether the hash of one sent before may be given again. */
function stillPossible({ now }: StudioContext, { expiresAt }: Given, problem: ApiError | undefined) {
  // A conflict about the hash, or with the same form that was sent twice, says nothing about the payment.
  const isSettled =
    problem?.code === "CONFLICT" &&
    problem.headers["Retry-After"] === undefined &&
    !problem.details?.some(({ field }) => field === "txHash");
  // What was sent in time counts, whenever its hash is given.
  return { pay: !isSettled && now < Date.parse(expiresAt), giveHash: !isSettled };
}

function instructionsPage(context: StudioContext, given: Given, problem?: ApiError): Promise<PageContent> {
  const { pay, giveHash } = stillPossible(context, given, problem);
  const body = html`${problem && alert(errorText(problem))}
${pay ? howToPay(given) : html`<p>Send nothing more for this payment.</p>`}${giveHash && hashForm(context, given)}
<p class="more"><a href="${studio.billing()}">Back to billing</a></p>`;
  return studioLayout(context, "billing", { title: "Pay with crypto", body });
}

const howToPay = ({
  uri,
  chain,
  currency,
  cryptoAmount,
  receiver,
  expiresAt,
  cents,
}: Given): Markup => html`<p>Send exactly this, for ${usd(cents)} of credit, until ${time(expiresAt)}:</p>
<p class="amount">${cryptoAmount} ${currency}</p>
<p>on <strong>${chain}</strong>, to this address:</p>${copied(receiver, "the address")}
${uri !== null && html`<p>Or scan this with your wallet: it fills in the amount.</p><div class="qr" role="img" aria-label="QR code of the payment for your wallet">${qrCode(uri)}</div><p><a href="${uri}">Open it in a wallet on this device</a></p>`}`;

const hashForm = (context: StudioContext, given: Given): Markup => html`<section><h2>When you sent it</h2>
<form method="post" action="${sentAt()}">${tokens(context)}<input type="hidden" name="given" value="${JSON.stringify(given)}" autocomplete="off">
<label for="tx">Hash of the transaction</label>
<input id="tx" name="tx" autocomplete="off" spellcheck="false" maxlength="200" value="${context.form.tx}" required>
<button>Add the credit</button></form></section>`;

/** What the page of a payment shows. It comes back with its form, so that it can be shown again. */
interface Given extends Instructions {
  cents: number;
  uri: string | null;
}

const readGiven = (text: string | undefined): Given => {
  try {
    const given = JSON.parse(text ?? "") as Given;
    if (typeof given.receiver === "string" && Number.isInteger(given.cents)) return given;
  } catch {
    // Whoever changed the form gets the same answer.
  }
  throw invalid("tx", "cannot be read any more. Go back and ask again where to pay");
};

const cryptoLabels = {
  amountCents: { label: "Amount in crypto", id: "crypto-amount" },
  cryptoCents: { label: "Amount in crypto", id: "crypto-amount" },
};

const payWith = ({ chain, currency }: { chain: string; currency: string }) => ({
  "x-payment-method": "x402",
  "x-payment-chain": chain,
  "x-payment-currency": currency,
});

const ask = action({ at: askAt, fields: cryptoLabels }, async (context) => {
  const { call, form } = context;
  const cents = centsIn(form, "cryptoCents", cryptoCredit);
  if (cents === undefined) throw invalid("cryptoCents", "is required");
  const [chain = "", currency = ""] = form.pair?.split(" ") ?? [];
  const headers = payWith({ chain, currency });
  try {
    await call("buyCreditWithCrypto", { idempotencyKey: form.formKey, body: { amountCents: cents }, headers });
  } catch (error) {
    if (!isOf(error)) throw error;
    const instructions = error.payment as unknown as Instructions;
    const uri = paymentUri({ atomicAmount: undefined, asset: undefined, ...instructions, ...headerOf(error) }) ?? null;
    return instructionsPage(context, { ...instructions, cents, uri });
  }
  return `${studio.billing()}?done=crypto`;
});

const sent = action({ at: sentAt }, async (context) => {
  const { call, form } = context;
  const given = readGiven(form.given);
  const { chain, currency } = given;
  const proof = JSON.stringify({ txHash: form.tx?.trim() ?? "", chain, currency });
  try {
    const headers = { ...payWith(given), "x-payment": proof };
    await call("buyCreditWithCrypto", { idempotencyKey: form.formKey, body: {}, headers });
  } catch (error) {
    // The page stays where one can try again: the transaction is not final yet, or unknown, or less than was asked for.
    if (error instanceof ApiError && error.status < 500) return instructionsPage(context, given, error);
    throw error;
  }
  return `${studio.billing()}?done=crypto`;
});

export const cryptoActions = [ask, sent];
