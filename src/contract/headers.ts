import * as z from "zod";
import { text } from "./fields.ts";

/** Request headers that carry meaning, declared as they are spelled. The server compares their names without regard to case. */

export const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters")
  .meta({
    description: "1 to 255 printable ASCII characters. A request that is repeated with the same key takes effect only once.",
  });

export const paymentMethods = ["x402", "hours", "credit", "card"] as const;
export const chains = ["base", "ethereum", "solana"] as const;
export const currencies = ["USDC", "ETH", "SOL"] as const;
export type ChainName = (typeof chains)[number];
export type Currency = (typeof currencies)[number];

/** CAIP-2 names of the chains, which standard x402 uses. */
export const networks: Record<ChainName, string> = {
  base: "eip155:8453",
  ethereum: "eip155:1",
  solana: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
};

/** The transaction that pays an open quote. */
export const paymentProof = z
  .strictObject({
    txHash: text(200, 1),
    chain: z.enum(chains),
    currency: z.enum(currencies),
  })
  .meta({ id: "PaymentProof" });

/** One of some values, in any case. */
function caseless<const V extends readonly string[]>(values: V) {
  const parse = (given: string, ctx: z.RefinementCtx): V[number] => {
    const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    const message = values.length > 1 ? `must be one of ${values.join(", ")}` : `must be ${values[0]}`;
    ctx.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  return z
    .string()
    .transform(parse)
    .meta({ enum: [...values] });
}

const maxLength = 8192;

/** Undefined for what is neither JSON of this API's own form nor standard x402. */
function readPayment(header: string): unknown {
  const trimmed = header.trim();
  if (trimmed.length > maxLength) return undefined;
  if (trimmed.startsWith("{")) return parseJson(trimmed);
  const standard = readStandard(trimmed);
  return standard && fromStandard(standard);
}

/** What a standard x402 client sends, in base64. */
function readStandard(header: string): Record<string, unknown> | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return undefined;
  const standard = parseJson(Buffer.from(header, "base64").toString("utf8"));
  return isRecord(standard) && "x402Version" in standard ? standard : undefined;
}

const payloadOf = ({ payload }: Record<string, unknown>) => (isRecord(payload) ? payload : {});

/** The transaction that the payload names; a signed authorization names none. */
function fromStandard(standard: Record<string, unknown>): unknown {
  const accepted = isRecord(standard.accepted) ? standard.accepted : standard;
  const payload = payloadOf(standard);
  const named = Object.entries(networks).find(([, network]) => network === accepted.network)?.[0];
  const chain = chains.find((name) => name === (named ?? accepted.network));
  const currency = payload.currency ?? currencies.find((code) => code === accepted.asset) ?? "USDC";
  return { txHash: payload.txHash, chain, currency };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isSigned = (header: string) => {
  const standard = header.length > maxLength ? undefined : readStandard(header.trim());
  return standard !== undefined && payloadOf(standard).txHash === undefined;
};

const digits = z.string().regex(/^\d{1,78}$/, "must be a whole number, as a string");
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be an address");
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hexadecimal digits");

/** The payment of a standard x402 client (version 2, scheme `exact`): an EIP-3009 `transferWithAuthorization`, signed by EIP-712. */
export const signedPayment = z
  .object({
    x402Version: z.literal(2),
    accepted: z.object({
      scheme: z.literal("exact"),
      network: text(100, 1),
      asset: evmAddress,
      extra: z.object({ x402PaymentId: z.uuid() }),
    }),
    payload: z.object({
      signature: z
        .string()
        .regex(/^0x[0-9a-fA-F]{130}$/, "must be 65 bytes in hexadecimal digits, as the key of an account signs"),
      authorization: z.object({
        from: evmAddress,
        to: evmAddress,
        value: digits,
        validAfter: digits,
        validBefore: digits,
        nonce: bytes32,
      }),
    }),
  })
  .meta({ id: "SignedPayment" });

export type SignedPayment = z.output<typeof signedPayment>;

const signature = z
  .string()
  .transform((header, ctx): SignedPayment => {
    const trimmed = header.trim();
    const read = signedPayment.safeParse(trimmed.length > maxLength ? undefined : readStandard(trimmed));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const fault = issue?.path.length ? `${issue.path.join(".")} is wrong (${issue.message}); it ` : "";
    const says =
      "must be the signed payment of an x402 client (version 2) for the requirements in the header PAYMENT-REQUIRED, in base64. Nothing was charged";
    ctx.addIssue({ code: "custom", message: fault + says });
    return z.NEVER;
  })
  .meta({
    description:
      "The signed payment of a standard x402 client, in base64, for the open quote that the header `PAYMENT-REQUIRED` of the 402 described.",
  });

const elsewhere =
  "is a signed payment, which belongs in the header PAYMENT-SIGNATURE. Nothing was ordered or charged. Or send exactly the amount of the " +
  "payment instructions to their receiver in a transaction of your own, then repeat the request with its hash in the header " +
  'X-Payment: {"txHash":"HASH","chain":"base","currency":"USDC"}';

const payment = z
  .string()
  .transform((header, ctx): z.output<typeof paymentProof> => {
    const read = paymentProof.safeParse(readPayment(header));
    if (read.success) return read.data;
    if (isSigned(header)) {
      ctx.addIssue({ code: "custom", message: elsewhere });
      return z.NEVER;
    }
    const [issue] = read.error.issues;
    const fault = issue?.path.length ? `${issue.path.join(".")} is wrong (${issue.message}); it ` : "";
    const says = "must be JSON with txHash, chain and currency of a transaction you sent (no signed authorization)";
    ctx.addIssue({ code: "custom", message: fault + says });
    return z.NEVER;
  })
  .meta({
    description: "The transaction that pays the open quote.",
    contentMediaType: "application/json",
    contentSchema: { $ref: "#/components/schemas/PaymentProof" },
  });

const chain = caseless(chains).default("base").meta({ description: "Chain to pay on." });
const currency = caseless(currencies).default("USDC").meta({ description: "Currency to pay with." });
const from = text(64, 1).optional().meta({
  description:
    "With instructions: the address that will pay. A payment from there counts although it is late or of another amount, up to twice what was asked for.",
});
const method = <const V extends readonly string[]>(values: V) =>
  caseless(values).optional().meta({ description: "How to pay; `x402` requests crypto payment instructions." });

/** Headers of an order. */
export const orderHeaders = z.object({
  "X-Payment-Method": method(paymentMethods),
  "X-Payment-Chain": chain,
  "X-Payment-Currency": currency,
  "X-Payment-From": from,
  "X-Payment": payment.optional(),
  "PAYMENT-SIGNATURE": signature.optional(),
});

/** Headers of a new order. */
export const newOrderHeaders = orderHeaders.extend({
  "X-Max-Cost-Cents": z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number of cents")
    .transform(Number)
    .optional()
    .meta({
      type: "integer",
      minimum: 0,
      description:
        "The most that the order may cost in money, in cents. One that costs more is refused with 409, and nothing is charged.",
    }),
});

/** Headers of a payment whose method the request names elsewhere. */
export const payHeaders = orderHeaders.omit({ "X-Payment-Method": true });

/** Headers of what can be paid in crypto only. */
export const cryptoHeaders = orderHeaders.extend({ "X-Payment-Method": method(["x402"]) });

/** Headers that start an upload. The upload protocol (tus 1.0) checks them by its own rules and with its own statuses. */
export const uploadHeaders = z.object({
  "Upload-Length": z.string().optional().meta({ type: "integer", minimum: 0, description: "Size of the file in bytes." }),
  "Upload-Metadata": z.string().optional().meta({
    description: "Names with base64 values, as tus 1.0 defines: `filename`, `filetype` and others.",
  }),
  "Tus-Resumable": z.literal("1.0.0").meta({ description: "Version of the upload protocol." }),
});

/** Headers of what can be listed or followed as a stream of events. */
export const streamHeaders = z.object({
  Accept: z
    .string()
    .default("application/json")
    .transform((accept) => (accept.includes("text/event-stream") ? ("events" as const) : ("json" as const))),
  "Last-Event-ID": z.string().optional().meta({ description: "Resume the stream after this event." }),
});
