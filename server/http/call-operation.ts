import type { CallOperation, Meta, Operation } from "../../src/contract/index.ts";
import type { ProblemBody, ProblemCode } from "../../src/contract/problems.ts";
import { authorize } from "../accounts/authenticate.ts";
import { notFound, Problem } from "../lib/problem.ts";
import { type Client, type Principal, RawResponse } from "./call.ts";
import type { Execute, ServedOperation } from "./execute.ts";
import type { Rendered } from "./reply.ts";

/** The operations this server serves. */
export type Operations = ReadonlyMap<Operation, ServedOperation>;

/** Calls operations as an account, or without one, with the same result as over HTTP. */
export type CallAs = (principal: Principal | undefined, origin: Origin) => CallOperation;

/** The request for a page, during which operations are called. */
export interface Origin {
  requestId: string;
  client: Client;
}

/** The function that pages call operations with. It has the type of the client's `call`, so pages do not depend on being in the server. */
export function createCallAs(operations: Operations, execute: Execute): CallAs {
  return (principal, { requestId, client }) =>
    async (operation, ...[input]) => {
      const served = operations.get(operation);
      if (!served) throw notFound();
      if (principal) authorize(served.endpoint, principal);
      const { params = {}, query = {}, body, headers = {}, idempotencyKey } = (input ?? {}) as AnyInput;
      const request = {
        principal,
        params,
        query: asSent(query),
        body,
        headers: lowerCased(headers),
        idempotencyKey,
        requestId,
        client,
      };
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

/** Converts query values to text, as in a URL. */
const asSent = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Parses the body of a reply. Throws a Problem for an error reply, such as a stored 402 that created an order. */
function contentOf({ status, headers, body }: Rendered) {
  const parsed = JSON.parse(Buffer.from(body).toString());
  if (status < 400) return parsed as { data: never; meta: Meta };
  const { code, message, details, payment } = (parsed as ProblemBody).error;
  throw new Problem(code as ProblemCode, message, { status, headers, ...(details && { details }), ...(payment && { payment }) });
}
