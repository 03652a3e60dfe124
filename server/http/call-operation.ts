import type { CallOperation, Meta, Operation } from "../../src/contract/index.ts";
import type { ProblemBody, ProblemCode } from "../../src/contract/problems.ts";
import { authorize } from "../accounts/authenticate.ts";
import { notFound, Problem } from "../lib/problem.ts";
import { type Principal, RawResponse } from "./call.ts";
import type { Execute, ServedOperation } from "./execute.ts";
import type { Rendered } from "./reply.ts";

/** The operations this server serves. */
export type Operations = ReadonlyMap<Operation, ServedOperation>;

/** Calls operations for an account, or for nobody, as if it had sent them over HTTP. */
export type CallAs = (principal: Principal | undefined, requestId: string) => CallOperation;

/** What pages call operations with: the same shape as the client's `call`, so that a page could be served from another instance. */
export function createCallAs(operations: Operations, execute: Execute): CallAs {
  return (principal, requestId) =>
    async (operation, ...[input]) => {
      const served = operations.get(operation);
      if (!served) throw notFound();
      if (principal) authorize(served.endpoint, principal);
      const { params = {}, query = {}, body, headers = {}, idempotencyKey } = (input ?? {}) as AnyInput;
      const request = { principal, params, query: asSent(query), body, headers: lowerCased(headers), idempotencyKey, requestId };
      const reply = await execute(served, request);
      if (reply instanceof RawResponse) throw new Error(`${operation} does not answer with JSON`);
      return contentOf(reply);
    };
}

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  idempotencyKey?: string;
}

/** Query values are text, as in an address. */
const asSent = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** A stored reply is bytes, and may be of a refusal (a 402 that created an order). */
function contentOf({ status, headers, body }: Rendered) {
  const parsed = JSON.parse(Buffer.from(body).toString());
  if (status < 400) return parsed as { data: never; meta: Meta };
  const { code, message, details, payment } = (parsed as ProblemBody).error;
  throw new Problem(code as ProblemCode, message, { status, headers, ...(details && { details }), ...(payment && { payment }) });
}
