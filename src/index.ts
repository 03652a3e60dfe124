import { stat } from "node:fs/promises";
import { type ClientCore, createClientCore, type Data, type Input, type Meta, type Methods, type Reply } from "./api/client.ts";
import { methodsOf } from "./api/methods.ts";
import { type Items, type Page, pages, type Range } from "./api/pages.ts";
import { createTransport } from "./api/transport.ts";
import { outside } from "./cli/outside.ts";
import { version } from "./cli/version.ts";
import type { Operation } from "./contract/index.ts";

export interface Options {
  /** Address of the instance, with or without `/api/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** Milliseconds for one request; default 30 s. */
  timeout?: number | undefined;
  /** Tries after the first; default 3. Mutations are repeated with the same idempotency key. */
  retries?: number | undefined;
  /** Milliseconds that the retries of one request may wait in all; default 60 s. */
  maxWait?: number | undefined;
  /** The environment whose HTTPS_PROXY, HTTP_PROXY and NO_PROXY count; default none. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  userAgent?: string | undefined;
  /** Ends every request of this client; one request takes a `signal` of its own beside its input. */
  signal?: AbortSignal | undefined;
}

export interface Upload {
  /** The route that takes it, below `/api/v1`: `/games/ID/builds` or `/playtester/slots/ID/video`. */
  path: string;
  /** The file to send. */
  file: string;
  /** What the route wants to know: `filename`, `filetype`, and of a build `sha256`, in hex. */
  metadata: Record<string, string>;
  /** Folder that remembers unfinished uploads: the same upload goes on there where an earlier one was cut off. */
  directory: string;
  /** Told of bytes sent, and of all there are. */
  progress?: ((sent: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Client extends Methods {
  /** Calls an operation and gives the whole reply, with its `meta`, status and headers. */
  call: ClientCore["call"];
  /** The pages of a list: one, as many as `{ limit }` items take, or with `{ all: true }` every one. */
  pages<O extends Operation>(operation: O, input?: Input<O>, range?: Range): AsyncIterable<Page<Items<Data<O>>, Data<O>>>;
  /** Sends a file in chunks that are tried again (tus 1.0), where the server takes files. */
  upload(file: Upload): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * A client of the API with one method per operation, named as its `operationId` in `openapi.json`:
 * `await createClient({ baseUrl, apiKey }).getGame({ params: { id } })`. Beside `params`, `query` and `body` an input takes
 * `idempotencyKey`, `signal`, `timeout` and `headers`.
 *
 * A failed reply throws a `CliError` with `code`, `exitCode` and `extra` (`httpStatus`, `details`, `requestId`, `hint`); a request that
 * never arrived a `NetworkError`; a change whose reply was lost `OutcomeUnknown`, with the `idempotencyKey` that repeats it safely.
 */
export function createClient(options: Options): Client {
  const { apiKey, retries = 3, userAgent = `playtest/${version}`, signal } = options;
  const transport = createTransport(options.env ?? {});
  const core = createClientCore({
    baseUrl: options.baseUrl,
    apiKey,
    transport,
    timeout: options.timeout ?? 30_000,
    retries,
    maxWait: options.maxWait ?? 60_000,
    userAgent,
    signal,
    ...outside,
  });

  async function upload({ path, file, metadata, directory, progress = () => {}, signal: own }: Upload) {
    const { size, mtimeMs } = await stat(file);
    const ending = AbortSignal.any([own, signal].filter((one) => one !== undefined));
    const uploader = { base: core.base, apiKey, transport, userAgent, directory, retries, signal: ending };
    const fingerprint = JSON.stringify([file, size, mtimeMs, metadata]);
    const [{ upload: send }, { uploadOperation }] = await Promise.all([import("./api/upload.ts"), import("./api/offers.ts")]);
    const sent = send(uploader, { path, file, metadata, fingerprint, progress });
    const operation = uploadOperation(path);
    await (operation ? sent.catch((error: unknown) => core.explain(operation, error)) : sent);
  }

  return {
    ...methodsOf(core.call),
    call: core.call,
    pages: (operation, input, range = {}) => pages(core, operation, input ?? ({} as Input<typeof operation>), range),
    upload,
    close: () => transport.close(),
  };
}

export { OutcomeUnknown } from "./api/client.ts";
export { NetworkError } from "./api/transport.ts";
export { CliError } from "./errors.ts";
export type { Data, Input, Items, Meta, Methods, Operation, Page, Range, Reply };
