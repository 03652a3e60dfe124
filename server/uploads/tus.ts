import type { IncomingMessage, ServerResponse } from "node:http";
import { Metadata, Server } from "@tus/server";
import { uploadError } from "./errors.ts";
import type { UploadFiles } from "./files.ts";
import type { UploadRow } from "./store.ts";

const path = "/api/v1/uploads";

/** Parses the header Upload-Metadata. Throws for one of a wrong form. */
export const parseMetadata = Metadata.parse;

/** The tus library. It reads only the headers of a request; the bytes are written through `files`. */
export class Tus {
  readonly #config: { readonly baseUrl: string };
  readonly #server: Server;

  constructor(files: UploadFiles, config: { readonly baseUrl: string }) {
    this.#config = config;
    this.#server = new Server({
      path,
      datastore: files,
      allowedOrigins: [],
      // `reply` passes the id of a new upload as the last segment of the URL.
      namingFunction: (request) => request.url.split("/").at(-1)!,
      generateUrl: (_request, { id }) => `${config.baseUrl}${path}/${id}`,
    });
  }

  /** The library's reply to a request for this upload, whether or not it is an error. */
  reply(id: string, request: IncomingMessage): Promise<Response> {
    const headers = Object.entries(request.headers).filter(([name]) => /^(tus|upload|content)-/.test(name)) as [string, string][];
    return this.#server.handleWeb(new Request(`${this.#config.baseUrl}${path}/${id}`, { method: request.method!, headers }));
  }

  /** The library's reply. Throws an ApiError when it is an error. */
  async accept(id: string, request: IncomingMessage): Promise<Response> {
    return requireAccepted(await this.reply(id, request));
  }
}

export async function requireAccepted(reply: Response): Promise<Response> {
  if (reply.status >= 400) throw uploadError(reply.status, await reply.text());
  return reply;
}

/** Sends the library's reply to the client, with `Upload-Expires` for an unfinished upload. */
export function send(response: ServerResponse, reply: Response, upload?: UploadRow): void {
  if (response.destroyed) return;
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) if (/^(tus-|upload-|location$)/.test(name)) response.setHeader(name, value);
  if (upload?.status === "open") response.setHeader("Upload-Expires", new Date(upload.expires_at).toUTCString());
  response.end();
}
