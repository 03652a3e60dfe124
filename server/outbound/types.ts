import type { IncomingHttpHeaders } from "node:http";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface OutboundRequest {
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Send it once at most: on a new connection, because one that ends before the reply may have delivered it. */
  once?: boolean;
  /** Time limit for everything: DNS, connection, TLS, request and response. */
  deadlineMs: number;
  /** How much of the response is read. */
  maxBytes: number;
}

export interface OutboundReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** False when the body was cut at `maxBytes` or the deadline. */
  complete: boolean;
}
