import type { ErrorBody, ErrorCode } from "../../src/contract/errors.ts";
import type { CallOperation, Meta, Operation } from "../../src/contract/index.ts";
import { authorize } from "../accounts/authenticate.ts";
import { ApiError, notFound } from "../lib/api-error.ts";
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
  /** Called with the account for which operations are called. */
  onPrincipal?(principal: Principal): void;
}

type Perform = (operation: Operation, input: AnyInput) => Promise<Rendered | RawResponse>;

/** Performs operations as an account, without HTTP. */
const createPerform =
  (operations: Operations, execute: Execute) =>
  (principal: Principal | undefined, { requestId, client, onPrincipal }: Origin): Perform =>
  async (operation, { params = {}, query = {}, body, headers = {}, idempotencyKey }) => {
    if (principal) onPrincipal?.(principal);
    const served = operations.get(operation);
    if (!served) throw notFound();
    if (principal) authorize(served.endpoint, principal);
    return execute(served, {
      principal,
      params,
      query: asSent(query),
      body,
      headers: lowerCased(headers),
      idempotencyKey,
      requestId,
      client,
    });
  };

/** The function that pages call operations with. It has the type of the client's `call`, so pages do not depend on being in the server. */
export function createCallAs(operations: Operations, execute: Execute): CallAs {
  const perform = createPerform(operations, execute);
  return (principal, origin) =>
    async (operation, ...[input]) => {
      const reply = await perform(principal, origin)(operation, (input ?? {}) as AnyInput);
      if (reply instanceof RawResponse) throw new Error(`${operation} does not answer with JSON`);
      return contentOf(reply);
    };
}

/** Opens the stream of an account's events, from after the one with this id. */
export type StreamAs = (principal: Principal, origin: Origin, lastEventId: string | undefined) => Promise<RawResponse>;

export function createStreamAs(operations: Operations, execute: Execute): StreamAs {
  const perform = createPerform(operations, execute);
  return async (principal, origin, last) => {
    const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
    const reply = await perform(principal, origin)("listEvents", { headers });
    if (!(reply instanceof RawResponse)) throw new Error("listEvents does not stream");
    return reply;
  };
}

/** Gets the file of an operation for an account, as over HTTP. */
export type FileAs = (
  principal: Principal,
  origin: Origin,
  operation: Operation,
  params: Record<string, string>,
) => Promise<RawResponse>;

export function createFileAs(operations: Operations, execute: Execute): FileAs {
  const perform = createPerform(operations, execute);
  return async (principal, origin, operation, params) => {
    const reply = await perform(principal, origin)(operation, { params });
    if (!(reply instanceof RawResponse)) throw new Error(`${operation} does not answer with a file`);
    return reply;
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

/** Parses the body of a reply. Throws an ApiError for an error reply, such as a stored 402 that created an order. */
function contentOf({ status, headers, body }: Rendered) {
  const parsed = JSON.parse(Buffer.from(body).toString());
  if (status < 400) return { ...(parsed as { data: never; meta: Meta }), headers: lowerCased(headers) };
  const { code, message, details, payment, budget } = (parsed as ErrorBody).error;
  const more = { ...(details && { details }), ...(payment && { payment }), ...(budget && { budget }) };
  throw new ApiError(code as ErrorCode, message, { status, headers, ...more });
}
