import { chains, currencies, paymentProof } from "../../../src/contract/billing.ts";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import type { Call } from "../../http/call.ts";
import { invalid } from "../../lib/problem.ts";
import type { Proof } from "./proofs.ts";
import type { Pair } from "./rules.ts";
import { readPaymentHeader } from "./x402.ts";

type Headers = Call<Endpoint>["headers"];

/** The pair a caller wants to pay with; `base` and `USDC` where they do not say. 422 for what is unknown. */
export function pairOf(headers: Headers): Pair {
  const [askedChain = "base", askedCurrency = "USDC"] = [headers["x-payment-chain"], headers["x-payment-currency"]].map(text);
  const chain = chains.find((name) => name === askedChain.toLowerCase());
  if (!chain) throw invalid("X-Payment-Chain", `must be one of ${chains.join(", ")}`);
  const currency = currencies.find((code) => code === askedCurrency.toUpperCase());
  if (!currency) throw invalid("X-Payment-Currency", `must be one of ${currencies.join(", ")}`);
  return { chain, currency };
}

const text = (header: string | string[] | undefined) => (header === undefined ? undefined : String(header));

/** The transaction named in `X-Payment`; undefined without the header, 422 when it cannot be read. */
export function proofOf(headers: Headers, ownerId: string): Proof | undefined {
  const header = headers["x-payment"];
  if (header === undefined) return undefined;
  const read = paymentProof.safeParse(readPaymentHeader(String(header)));
  if (read.success) return { ownerId, ...read.data };
  const [issue] = read.error.issues;
  const fault = issue?.path.length ? `${issue.path.join(".")} is wrong (${issue.message}); it ` : "";
  const says = "must be JSON with txHash, chain and currency of a transaction you sent (no signed authorization)";
  throw invalid("X-Payment", fault + says);
}
