import type { z } from "zod";
import { budgetLeft } from "../accounts/budgets.ts";
import { paymentInstructions } from "../billing.ts";
import type { Endpoint } from "../endpoint.ts";
import { idempotencyKey, paymentProof } from "../headers.ts";
import { inputSchema, type JsonSchema, replySchema } from "./json-schema.ts";

/** The parts of the OpenAPI document that many operations share. */

type Json = Record<string, unknown>;

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
export const schemaRef = (name: string) => ref("schemas", name);
export const headerRef = (name: string) => ref("headers", name);

const integer = { type: "integer" };
const string = { type: "string" };
const header = (description: string, schema: JsonSchema | Json) => ({ description, schema });

export const headers = {
  "X-Request-Id": header("Id of the request in the server's log; also in `meta.requestId`.", {
    type: "string",
    pattern: "^req_[0-9a-z]{20}$",
  }),
  "X-RateLimit-Limit": header("Requests allowed per minute.", integer),
  "X-RateLimit-Remaining": header("Requests left.", integer),
  "X-RateLimit-Reset": header("When all requests are available again, in Unix seconds.", integer),
  "Retry-After": header("Seconds to wait before trying again.", integer),
  "Idempotency-Replayed": header("`true` when this is the stored reply to an earlier request with the same key.", string),
  "X-Payment": header("Payment instructions as JSON.", { type: "string", contentMediaType: "application/json" }),
  "PAYMENT-REQUIRED": header(
    "What a standard x402 client (version 2) is asked to sign, as JSON in base64. Absent if nobody settles it.",
    string,
  ),
  "PAYMENT-RESPONSE": header(
    "What became of the payment that `PAYMENT-SIGNATURE` signed, as JSON in base64 (x402 version 2).",
    string,
  ),
  Location: header("URL to send the file to (tus 1.0).", { type: "string", format: "uri" }),
  "Tus-Resumable": header("Version of the upload protocol.", { const: "1.0.0" }),
};

/** Header parameters, from the object of headers that declares them. */
export function headerParameters(headers: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = inputSchema(headers);
  // What is acceptable follows from the media types of the replies.
  const named = Object.entries(properties).filter(([name]) => name !== "Accept");
  return named.map(([name, property]) => {
    // A schema that transforms what was sent says nothing of its default.
    const { data: initial } = (headers.shape[name] as z.ZodType).safeParse(undefined);
    const schema = { ...(property as JsonSchema), ...(initial !== undefined && { default: initial as string }) };
    return headerParameter(name, schema, required.includes(name));
  });
}

function headerParameter(name: string, { description, ...schema }: JsonSchema, required: boolean): Json {
  const { contentMediaType, contentSchema } = schema;
  const about = { name, in: "header", ...(description && { description }), ...(required && { required }) };
  return contentMediaType ? { ...about, content: { [contentMediaType]: { schema: contentSchema } } } : { ...about, schema };
}

export const parameters = { "Idempotency-Key": headerParameter("Idempotency-Key", inputSchema(idempotencyKey), false) };

const requestId = { type: "string", pattern: "^req_[0-9a-z]{20}$" };
const time = { type: "string", format: "date-time" };
const meta = { requestId, timestamp: time };

/** Schemas no resource owns. `PaymentProof` and `PaymentInstructions` are here because only headers and problems use them. */
export function sharedSchemas(): Record<string, JsonSchema | Json> {
  return {
    PaymentProof: inlined(inputSchema(paymentProof), "PaymentProof"),
    PaymentInstructions: inlined(replySchema(paymentInstructions), "PaymentInstructions"),
    BudgetLeft: inlined(replySchema(budgetLeft), "BudgetLeft"),
    Meta: { type: "object", required: ["requestId", "timestamp"], properties: meta },
    ListMeta: {
      type: "object",
      required: ["requestId", "timestamp", "cursor", "hasMore"],
      properties: { ...meta, cursor: { type: ["string", "null"] }, hasMore: { type: "boolean" }, totalCount: integer },
    },
    Problem: {
      type: "object",
      required: ["error", "meta"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message"],
          properties: {
            code: string,
            message: string,
            details: {
              type: "array",
              items: { type: "object", required: ["field", "message"], properties: { field: string, message: string } },
            },
            payment: schemaRef("PaymentInstructions"),
            budget: schemaRef("BudgetLeft"),
          },
        },
        meta: schemaRef("Meta"),
      },
    },
  };
}

const inlined = (schema: JsonSchema, name: string) => schema.$defs?.[name] ?? schema;

/** Who may call, as OpenAPI says it: an empty requirement is "no key needed", several are alternatives. */
export function security({ access }: Endpoint): Json[] {
  if (access === "none") return [];
  if (access === "optional") return [{}, { apiKey: [] }];
  if (access === "any" || access === "main" || access === "every") return [{ apiKey: [] }];
  if ("anyOf" in access) return access.anyOf.map((scope) => ({ apiKey: [scope] }));
  return [{ apiKey: access }];
}
