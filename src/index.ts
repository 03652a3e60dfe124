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
  /**
   * Timeout per request in milliseconds. Default: 30,000. A request that sends a part of a file ends instead when the server takes no byte
   * of it for five minutes, or has it and does not answer for that long and ten seconds more for each MB.
   */
  timeout?: number | undefined;
  /**
   * Maximum number of retries where the server does not say when to try again; 0: none. Default: 3. A change that may have taken effect is
   * retried only where the server honors its idempotency key.
   */
  retries?: number | undefined;
  /** Maximum total time in milliseconds that the retries of one request may wait. Default: 60,000. */
  maxWait?: number | undefined;
  /** Environment to read HTTPS_PROXY, HTTP_PROXY and NO_PROXY from. Default: no proxy. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Send the API key over plain http to other machines too. Default: only over https, or to this machine. */
  insecure?: boolean | undefined;
  userAgent?: string | undefined;
  /** Aborts every request of this client. A single request accepts its own `signal` in its input. */
  signal?: AbortSignal | undefined;
}

export interface Upload {
  /** The upload endpoint, relative to `/api/v1`: `/games/ID/builds` or `/playtester/slots/ID/video`. */
  path: string;
  /** Path of the file to upload. */
  file: string;
  /** Metadata for the endpoint: `filename`, `filetype` and, for a build, `sha256` in hexadecimal. */
  metadata: Record<string, string>;
  /** Directory that stores the state of unfinished uploads, so that the same upload can be resumed. */
  directory: string;
  /** Called with the number of bytes sent and the total. */
  progress?: ((sent: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Client extends Methods {
  /** Calls an operation and returns the whole reply, with its `meta`, status and headers. */
  call: ClientCore["call"];
  /** The pages of a list: the first page, enough pages for `{ limit }` items, or all pages with `{ all: true }`. */
  pages<O extends Operation>(operation: O, input?: Input<O>, range?: Range): AsyncIterable<Page<Items<Data<O>>, Data<O>>>;
  /** Uploads a file in chunks that are retried (tus 1.0), if the server accepts uploads. */
  upload(file: Upload): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Creates an API client with one method per operation, named like its `operationId` in `openapi.json`:
 * `await createClient({ baseUrl, apiKey }).getGame({ params: { id } })`. Besides `params`, `query` and `body`, an input accepts
 * `idempotencyKey`, `signal`, `timeout` and `headers`.
 *
 * An error reply throws a `CliError` with `code`, `exitCode` and `extra` (`httpStatus`, `details`, `requestId`, `hint`). A request that
 * never reached the server throws a `NetworkError`. A change whose reply was lost throws `OutcomeUnknown`, with the `idempotencyKey`
 * that makes a retry safe, if the server honors it.
 */
export function createClient(options: Options): Client {
  const {
    apiKey,
    timeout = 30_000,
    retries = 3,
    maxWait = 60_000,
    insecure = false,
    userAgent = `playtest/${version}`,
    signal,
  } = options;
  const transport = createTransport(options.env ?? {});
  const core = createClientCore({
    baseUrl: options.baseUrl,
    apiKey,
    transport,
    timeout,
    retries,
    maxWait,
    userAgent,
    insecure,
    signal,
    ...outside,
  });

  async function upload({ path, file, metadata, directory, progress = () => {}, signal: own }: Upload) {
    const { size, mtimeMs } = await stat(file);
    const ending = AbortSignal.any([own, signal].filter((one) => one !== undefined));
    const uploader = {
      base: core.base,
      apiKey,
      transport,
      userAgent,
      directory,
      timeout,
      retries,
      maxWait,
      insecure,
      signal: ending,
    };
    const fingerprint = JSON.stringify([file, size, mtimeMs, metadata]);
    const [{ upload: send }, { uploadOperation }] = await Promise.all([import("./api/upload.ts"), import("./api/offers.ts")]);
    const sent = send(uploader, { path, file, metadata, fingerprint, progress });
    const operation = uploadOperation(path);
    const uploaded = await (operation ? sent.catch((error: unknown) => core.explain(operation, error)) : sent);
    await uploaded.forget();
  }

  return {
    ...methodsOf(core.call),
    call: core.call,
    pages: (operation, input, range = {}) => pages(core, operation, input ?? ({} as Input<typeof operation>), range),
    upload,
    close: () => transport.close(),
  };
}

export { OutcomeUnknown } from "./api/outcome.ts";
export { NetworkError } from "./api/transport.ts";
export { CliError } from "./errors.ts";
export type { Data, Input, Items, Meta, Methods, Operation, Page, Range, Reply };
