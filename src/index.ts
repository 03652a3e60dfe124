import { type ClientCore, createClientCore, type Data, type Input, type Meta, type Methods, type Reply } from "./api/client.ts";
import { methodsOf } from "./api/methods.ts";
import { type Page, pages, type Range } from "./api/pages.ts";
import { createTransport } from "./api/transport.ts";
import type { Operation } from "./contract/index.ts";
import { outside } from "./outside.ts";
import { version } from "./version.ts";

export interface Options {
  /** Address of the instance, with or without `/api/v1`. */
  baseUrl: string;
  apiKey?: string;
  /** Milliseconds for one request; default 30 s. */
  timeout?: number;
  /** Tries after the first; default 3. Mutations are repeated with the same idempotency key. */
  retries?: number;
  /** Milliseconds that the retries of one request may wait in all; default 60 s. */
  maxWait?: number;
  /** Where HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read; default none. */
  env?: Readonly<Record<string, string | undefined>>;
  userAgent?: string;
}

export interface Client extends Methods {
  /** Calls an operation and gives the whole reply, with its `meta`, status and headers. */
  call: ClientCore["call"];
  /** The pages of a list; `{ all: true }` for every one. */
  pages<O extends Operation>(operation: O, input: Input<O>, range?: Range): AsyncIterable<Page<unknown, Data<O>>>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * A client of the API with one method per operation: `await createClient({ baseUrl, apiKey }).getGame({ params: { id } })`.
 * A failed reply throws a `CliError` with `code`, `exitCode` and `extra`; a lost one `NetworkError` or `OutcomeUnknown`.
 */
export function createClient(options: Options): Client {
  const transport = createTransport(options.env ?? {});
  const core = createClientCore({
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    transport,
    timeout: options.timeout ?? 30_000,
    retries: options.retries ?? 3,
    maxWait: options.maxWait ?? 60_000,
    userAgent: options.userAgent ?? `playtest/${version}`,
    ...outside,
  });
  return {
    ...methodsOf(core.call),
    call: core.call,
    pages: (operation, input, range = {}) => pages(core, operation, input, range),
    close: () => transport.close(),
  };
}

export { OutcomeUnknown } from "./api/client.ts";
export { NetworkError } from "./api/transport.ts";
export { CliError } from "./errors.ts";
export type { Data, Input, Meta, Methods, Operation, Reply };
