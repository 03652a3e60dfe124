import type * as z from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Outbound } from "../outbound/index.ts";
import { jsonOf } from "../outbound/json.ts";
import type { OutboundReply } from "../outbound/types.ts";
import { waitOf } from "./rules.ts";
import { Refusal } from "./tracker.ts";

const callMs = 30_000;
const maxReplyBytes = 8 * 2 ** 20;
/** The most that a reply about one account may have. It is read while somebody waits. */
export const accountBytes = 64 * 2 ** 10;

export interface Asked {
  method: "GET" | "POST" | "PUT" | "PATCH";
  /** Below the address of the API. */
  path: string;
  body?: object;
  /** The most that the reply may have, in bytes; by default what a page of long issues has. */
  maxBytes?: number;
  /** The request creates something, so it is sent once at most. */
  creates?: boolean;
}

export interface Client {
  /** The reply in JSON. Throws a `Refusal` for 4xx, and an `Error` when it is not known what was done. */
  ask<T>(schema: z.ZodType<T>, asked: Asked): Promise<T>;
  /** The same for what may not be there: undefined for 404 and 410. */
  find<T>(schema: z.ZodType<T>, asked: Asked): Promise<T | undefined>;
}

export interface ClientOptions {
  outbound: Outbound;
  clock: Pick<Clock, "real">;
  /** Address of the API, to which all requests go. */
  api: string;
  /** With the credential. */
  headers: Record<string, string>;
  /** The name of the tracker, for messages. */
  title: string;
  /** What its error replies say: the sentence, and a status that replaces that of HTTP. */
  explain(json: unknown): { message?: string | undefined; status?: number | undefined } | undefined;
}

const longestMessage = 300;

/** Sends requests in JSON to one tracker. No redirect is followed, so that the credential reaches no other host. */
export function createClient({ outbound, clock, api, headers, title, explain }: ClientOptions): Client {
  async function send({ method, path, body, maxBytes = maxReplyBytes, creates = false }: Asked): Promise<unknown> {
    const reply = await outbound.request({
      method,
      url: `${api}${path}`,
      headers: { accept: "application/json", "content-type": "application/json", "user-agent": "playtest", ...headers },
      ...(body && { body: JSON.stringify(body) }),
      ...(creates && { once: true }),
      deadlineMs: callMs,
      maxBytes,
    });
    const json = jsonOf(reply);
    const known = explain(json);
    const status = known?.status ?? reply.status;
    if (status >= 500 || status === 408) throw new Error(`${title} answered with status ${status}.`);
    if (status >= 300) throw refusalOf(reply, status, known?.message);
    if (!reply.complete) throw new Error(`The reply of ${title} was not complete.`);
    return json;
  }

  function refusalOf(reply: OutboundReply, status: number, said: string | undefined): Refusal {
    const message =
      said === undefined ? `${title} answered with status ${status}.` : `${title}: ${said.slice(0, longestMessage)}`;
    const retryAfterMs = waitOf({ status, headers: reply.headers, said: said ?? "" }, clock.real());
    return new Refusal(status, message, retryAfterMs);
  }

  function read<T>(schema: z.ZodType<T>, json: unknown): T {
    const { data, success } = schema.safeParse(json);
    if (!success) throw new Error(`The reply of ${title} is not what its documentation says.`);
    return data;
  }

  return {
    ask: async (schema, asked) => read(schema, await send(asked)),
    async find(schema, asked) {
      try {
        return read(schema, await send(asked));
      } catch (error) {
        if (error instanceof Refusal && (error.status === 404 || error.status === 410)) return undefined;
        throw error;
      }
    },
  };
}
