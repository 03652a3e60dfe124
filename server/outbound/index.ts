import { lookup } from "node:dns/promises";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { parseAddress } from "../domain/addresses.ts";
import { createAgent } from "./agent.ts";
import { createGuard, type GuardOptions, targetOf } from "./guard.ts";

export { AddressRefused } from "./guard.ts";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface OutboundRequest {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  /** For everything: name, connection, TLS, request and response. */
  deadlineMs: number;
  /** What is kept of the response; the rest is not read. */
  maxBytes: number;
}

export interface OutboundReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** False: the body went on beyond `maxBytes` or the deadline and was cut. */
  complete: boolean;
}

/** The one way to a URL that somebody gave the server: guarded, bounded in time and size, never redirected. */
export interface Outbound {
  /** Throws `AddressRefused` for what a request would refuse. A name that has no address just now passes: connections are checked again. */
  check(url: string): Promise<void>;
  /** Resolves with any status. Rejects when none arrived in time, and with `AddressRefused`. */
  request(request: OutboundRequest): Promise<OutboundReply>;
  close(): void;
}

const checkDeadlineMs = 2_000;

const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export function createOutbound(options: GuardOptions & { resolve?: Resolve | undefined }): Outbound {
  const guard = createGuard(options);
  const resolve = options.resolve ?? systemResolve;
  const agents = { "http:": createAgent("http:", guard, resolve), "https:": createAgent("https:", guard, resolve) };

  async function send(wanted: OutboundRequest): Promise<OutboundReply> {
    const url = new URL(wanted.url);
    guard.checkUrl(url);
    const { request: open } = url.protocol === "https:" ? https : http;
    const { method, body = "" } = wanted;
    const headers = { ...wanted.headers, "Content-Length": String(Buffer.byteLength(body)) };
    const request = open(url, { method, headers, agent: agents[url.protocol as keyof typeof agents] });
    const reply = replyTo(request, wanted);
    request.end(body);
    try {
      return await reply;
    } catch (error) {
      // The receiver closed a kept connection just as it was used again: that says nothing about the receiver.
      if (request.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET") return send(wanted);
      throw error;
    }
  }

  return {
    async check(text) {
      const url = new URL(text);
      guard.checkUrl(url);
      const target = targetOf(url);
      if (parseAddress(target.host)) return;
      const unknown = resolve(target.host).catch(() => []);
      for (const address of await withinDeadline(unknown)) guard.checkAddress(target, address);
    },
    request: send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function withinDeadline(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), checkDeadlineMs);
  });
  return Promise.race([addresses, late]).finally(() => clearTimeout(timer));
}

function replyTo(request: ClientRequest, { deadlineMs, maxBytes }: OutboundRequest): Promise<OutboundReply> {
  return new Promise((resolve, reject) => {
    let cut: (() => void) | undefined;
    const deadline = setTimeout(() => {
      if (cut) return cut();
      request.destroy(new Error(`no answer within ${deadlineMs} ms`));
    }, deadlineMs);
    request.once("error", (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    request.once("response", (response) => {
      const finish = (reply: OutboundReply) => {
        clearTimeout(deadline);
        resolve(reply);
      };
      cut = readCapped(request, response, maxBytes, finish);
    });
  });
}

/** Calls `finish` once, with what arrived; the function it returns cuts the body off. */
function readCapped(
  request: ClientRequest,
  response: IncomingMessage,
  maxBytes: number,
  finish: (reply: OutboundReply) => void,
): () => void {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = (complete: boolean) => {
    if (!complete) request.destroy();
    const body = Buffer.concat(chunks).subarray(0, maxBytes);
    finish({ status: response.statusCode ?? 0, headers: response.headers, body, complete });
  };
  response.on("data", (chunk: Buffer) => {
    if (size > maxBytes) return;
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) end(false);
  });
  response.once("end", () => end(true));
  response.once("error", () => end(false));
  return () => end(false);
}
