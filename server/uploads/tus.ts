import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "@tus/server";
import type { UploadFiles } from "./files.ts";
import { problemOf } from "./problems.ts";
import type { UploadRow } from "./store.ts";

const path = "/api/v1/uploads";

/** The library that speaks tus. It reads the headers of a request and answers; the bytes reach it through `files`. */
export class Tus {
  readonly #config: { readonly baseUrl: string };
  readonly #server: Server;

  constructor(files: UploadFiles, config: { readonly baseUrl: string }) {
    this.#config = config;
    this.#server = new Server({
      path,
      datastore: files,
      allowedOrigins: [],
      // The id of a new upload travels as the last segment of the address that `reply` makes.
      namingFunction: (request) => request.url.split("/").at(-1)!,
      generateUrl: (_request, { id }) => `${config.baseUrl}${path}/${id}`,
    });
  }

  /** The library's reply to a request for this upload, whatever it is. */
  reply(id: string, request: IncomingMessage): Promise<Response> {
    const headers = Object.entries(request.headers).filter(([name]) => /^(tus|upload|content)-/.test(name)) as [string, string][];
    return this.#server.handleWeb(new Request(`${this.#config.baseUrl}${path}/${id}`, { method: request.method!, headers }));
  }

  /** The library's reply; throws a problem where it refuses. */
  async accept(id: string, request: IncomingMessage): Promise<Response> {
    return requireAccepted(await this.reply(id, request));
  }
}

export async function requireAccepted(reply: Response): Promise<Response> {
  if (reply.status >= 400) throw problemOf(reply.status, await reply.text());
  return reply;
}

/** Sends the library's reply to the client; of an upload that goes on, also when it expires. */
export function send(response: ServerResponse, reply: Response, upload?: UploadRow): void {
  if (response.destroyed) return;
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) if (/^(tus-|upload-|location$)/.test(name)) response.setHeader(name, value);
  if (upload?.status === "open") response.setHeader("Upload-Expires", new Date(upload.expires_at).toUTCString());
  response.end();
}
