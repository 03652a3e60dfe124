import { createRequire } from "node:module";
import { encodePaymentSignatureHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Person } from "./factories.ts";
import { type Receiver, startReceiver, status } from "./receiver.ts";
import type { Reply, TestServer } from "./server.ts";

/** Standard x402 clients, and what they and facilitators may do. */

interface Account {
  address: `0x${string}`;
  signTypedData(message: never): Promise<`0x${string}`>;
}

/** The wallets of the client's own package. */
const { privateKeyToAccount } = createRequire(createRequire(import.meta.url).resolve("@x402/evm"))("viem/accounts") as {
  privateKeyToAccount(key: `0x${string}`): Account;
};

export const accountOf = (digit: string): Account => privateKeyToAccount(`0x${digit.repeat(64)}`);

/** A client that pays up to a limit by itself, `"$1"` unless given. */
export function clientOf(account: Account, limit?: `$${number}`) {
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(account as never));
  if (limit !== undefined) client.setSpendControls({ maxAmountPerPayment: limit });
  return client;
}

/** A client that pays whatever is asked for, in any token. */
export function trustingClient(account: Account) {
  const client = clientOf(account);
  client.setSpendControls(false);
  return client;
}

/** `fetch` that pays, as an owner. */
export function payingFetch(server: TestServer, owner: Person, client: x402Client) {
  const fetchWithPayment = wrapFetchWithPayment(fetch, client);
  return (path: string, body: object, headers: Record<string, string> = {}) =>
    fetchWithPayment(`${server.baseUrl}/api/v1${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${owner.key}`,
        "content-type": "application/json",
        "x-payment-method": "x402",
        ...headers,
      },
    });
}

// biome-ignore lint/suspicious/noExplicitAny: what a header says is what a test is about to check
const headerOf = (reply: { headers: Headers }, name: string): any => {
  const header = reply.headers.get(name);
  return header === null ? null : JSON.parse(Buffer.from(header, "base64").toString("utf8"));
};

export const requiredIn = (reply: { headers: Headers }) => headerOf(reply, "payment-required");
export const receiptIn = (reply: { headers: Headers }) => headerOf(reply, "payment-response");

export interface Changes {
  /** Of the requirements before they are signed. */
  asked?: Record<string, unknown>;
  /** Of the payload afterwards. */
  // biome-ignore lint/suspicious/noExplicitAny: tests spoil it in every way
  spoil?(payload: any): void;
}

/** The header that a client answers a 402 with. */
export async function signFor(asked: Reply, account: Account, { asked: changes, spoil }: Changes = {}) {
  const required = requiredIn(asked);
  const [accepted] = required.accepts;
  const payload = await trustingClient(account).createPaymentPayload({ ...required, accepts: [{ ...accepted, ...changes }] });
  const copy = structuredClone(payload);
  spoil?.(copy);
  return { "payment-signature": encodePaymentSignatureHeader(copy) };
}

export interface TestFacilitator extends Receiver {
  /** The paths that were asked for, in order. */
  asked(): string[];
  /** Sends what it was last asked to settle to the sandbox chain; the hash. */
  execute(): Promise<string>;
}

type Behavior =
  | "honest"
  | "down"
  | "refuses"
  | "loses"
  | "invents"
  | "stays silent"
  | "says no after it paid"
  | "names another"
  | "speaks nonsense";

/** A facilitator that settles on the sandbox chain, or does not. */
export async function startFacilitator(server: () => TestServer, behavior: () => Behavior): Promise<TestFacilitator> {
  const receiver = await startReceiver();
  const last = () => JSON.parse(receiver.received.findLast(({ path }) => path.endsWith("/settle"))!.body);
  const transfer = async (changes: Record<string, unknown> = {}) => {
    const { paymentPayload, paymentRequirements } = last();
    const { from, value: amount, nonce } = paymentPayload.payload.authorization;
    const chain = paymentRequirements.network === "eip155:1" ? "ethereum" : "base";
    const body = { chain, currency: "USDC", to: paymentRequirements.payTo, amount, from, nonce, ...changes };
    const made = await server().request("POST", "/sandbox/chain/transactions", { body });
    if (made.status >= 300) throw new Error(`the sandbox chain refused a transfer: ${made.text}`);
    return made.body.data.txHash as string;
  };
  const json = (body: object) => status(200, { "content-type": "application/json" }, JSON.stringify(body));
  const settled = (transaction: string) => json({ success: true, transaction, network: "eip155:8453" });
  const no = json({ success: false, errorReason: "insufficient_funds", transaction: "", network: "eip155:8453" });
  receiver.answer(async (response, request) => {
    const how = behavior();
    const answer = (one: ReturnType<typeof json>) => one(response, request);
    if (how === "down") return void response.socket?.destroy();
    if (request.url === "/verify")
      return answer(json(how === "refuses" ? { isValid: false, invalidReason: "insufficient_funds" } : { isValid: true }));
    if (how === "honest") return answer(settled(await transfer()));
    if (how === "invents") return answer(settled(`0x${"ab".repeat(32)}`));
    if (how === "names another") return answer(settled(await transfer({ nonce: undefined, from: undefined })));
    if (how === "speaks nonsense") return answer(status(200, {}, "<html>"));
    if (how === "says no after it paid") {
      await transfer();
      return answer(no);
    }
    // It was paid, but its answer never arrives.
    if (how === "loses") {
      await transfer();
      return void response.socket?.destroy();
    }
    // "stays silent"
  });
  return { ...receiver, asked: () => receiver.received.map(({ path }) => path), execute: () => transfer() };
}
