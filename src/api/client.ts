import type { Data, Meta, Operation, Input as OperationInput, Reply as OperationReply } from "../contract/index.ts";
import { operations } from "../contract/static.ts";
import { CliError } from "../errors.ts";
import { Exchanges } from "./exchange.ts";
import { explainAbsence } from "./offers.ts";
import { loadShapes, parseJson, replyError, requireData, waitsForApproval, withRequestedWait } from "./replies.ts";
import type { CallOptions, ClientOptions, HttpReply, RawRequest } from "./types.ts";
import { fillPath, instanceUrl, queryString } from "./url.ts";

export type { Data, Meta } from "../contract/index.ts";

/** The input of an operation as the contract describes it, and how to send it. */
export type Input<O extends Operation> = OperationInput<O> & CallOptions;

export interface Reply<T> extends OperationReply<T> {
  status: number;
  headers: Record<string, string>;
  repeated: boolean;
}

/** The functions of the client that its methods are made of. They do not need `this`. */
export function createClientCore(options: ClientOptions) {
  const base = `${instanceUrl(options.baseUrl)}/api/v1`;
  const exchanges = new Exchanges(options, base);
  const exchange = (request: RawRequest) => exchanges.exchange(request);

  /** As `exchange`, but throws the error of a failed response. */
  async function checked(request: RawRequest): Promise<HttpReply> {
    const reply = await exchange(request);
    if (reply.status < 300) return reply;
    throw withRequestedWait(replyError(reply, new URL(base + request.path)), reply);
  }

  /** Throws the error of a failed call, or one that says that this server does not support the operation. */
  async function explain(operation: Operation, error: unknown): Promise<never> {
    throw await explainAbsence(operation, error, instanceUrl(options.baseUrl), exchanges.knowledge);
  }

  /** Calls one operation of the contract. Throws a `CliError` with the exit code for the response. */
  async function call<O extends Operation>(operation: O, input?: Input<O>): Promise<Reply<Data<O>>> {
    const { params, query, body, ...rest } = (input ?? {}) as CallOptions & { params?: object; query?: object; body?: unknown };
    const { method, path, risk, media, payload: holds, extension } = operations[operation];
    const target = fillPath(path, (params ?? {}) as Record<string, string>) + queryString(query ?? {});
    const mutation = method !== "GET" && risk !== "read";
    const idempotencyKey = rest.idempotencyKey ?? (mutation ? options.newId() : "");
    const request = { ...rest, method, path: target, body, mutation, idempotencyKey };
    const send = async (): Promise<HttpReply> => {
      try {
        return await checked(request);
      } catch (error) {
        if (await options.onRefused?.(error)) return checked(request);
        throw error;
      }
    };
    const sent = send().catch((error: unknown) => explain(operation, error));
    // Where it fails, it does so again where the reply is checked.
    if (media !== "document") void loadShapes().catch(() => {});
    const reply = await sent;
    const { status, headers, repeated = false } = reply;
    const waits = waitsForApproval(reply);
    if (waits) throw waits;
    if (extension) exchanges.knowledge.noteExtension();
    if (media === "document") return { data: parseJson(reply.body) as Data<O>, meta: {}, status, headers, repeated };
    try {
      const { data, meta } = await requireData(reply, operation, holds, new URL(base));
      return { data: data as Data<O>, meta: meta as Meta, status, headers, repeated };
    } catch (error) {
      throw mutation ? await exchanges.unusable(request, idempotencyKey, error as Error) : error;
    }
  }

  /** As `call`, for an extension that has an alternative: undefined where the server lacks it, which is not asked twice. */
  async function offered<O extends Operation>(operation: O, input?: Input<O>): Promise<Reply<Data<O>> | undefined> {
    if (exchanges.knowledge.lacksExtensions()) return undefined;
    try {
      return await call(operation, input);
    } catch (error) {
      if (error instanceof CliError && error.code === "NOT_OFFERED") return undefined;
      throw error;
    }
  }

  /** Whether the server says that it has an extension, such as `POST /playtests/:id/pay`. */
  async function offers(operation: Operation): Promise<boolean> {
    const { method, path } = operations[operation];
    if (exchanges.knowledge.lacksExtensions()) return false;
    return (await exchanges.knowledge.capabilities())?.extensions.includes(`${method} ${path}`) === true;
  }

  const unusable: Exchanges["unusable"] = (request, key, cause) => exchanges.unusable(request, key, cause);
  const lacksExtensions = () => exchanges.knowledge.lacksExtensions();
  return { base, call, offered, offers, lacksExtensions, nextKey: options.newId, exchange, unusable, checked, explain };
}

export type ClientCore = ReturnType<typeof createClientCore>;
/** One method per operation of the API; each returns the `data` of the response. */
export type Methods = { [O in Operation]: (...given: InputArguments<O>) => Promise<Data<O>> };
/** An operation without required input may be called without arguments. */
export type InputArguments<O extends Operation> = Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>];
