import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { Outbound } from "../../../outbound/index.ts";
import { jsonOf } from "../../../outbound/json.ts";
import type { OutboundReply } from "../../../outbound/types.ts";
import { limitsFor, type Sent, tokenSlackMs } from "../requests.ts";
import { PeertubeRefusal } from "./refusals.ts";

/** An account on a PeerTube instance, as it is kept, sealed. Its password is not kept. */
export const peertubeConnection = z.strictObject({
  /** The address of the instance, without a path. */
  url: z.string(),
  /** The name of the account. */
  username: z.string(),
  /** The client that the instance gives to everybody. */
  clientId: z.string(),
  clientSecret: z.string(),
  accessToken: z.string(),
  /** When the access token ends (ms, real time). */
  accessUntil: z.number(),
  /** It is good for one use, and gone two weeks after it was given unless the instance says otherwise. */
  refreshToken: z.string(),
  /** Where videos are published. */
  channelId: z.int(),
});
export type PeertubeConnection = z.output<typeof peertubeConnection>;

const secondMs = 1_000;

const tokenReply = z.object({ access_token: z.string(), expires_in: z.number(), refresh_token: z.string() });
const problem = z.object({ code: z.string().optional(), detail: z.string().optional(), title: z.string().optional() });
/** Of the part of PeerTube that takes uploads. */
const uploadProblem = z.object({ error: z.object({ code: z.string(), message: z.string().optional() }) });

/** Throws what a reply means that is not the answer. */
export function refuse(reply: OutboundReply): never {
  const json = jsonOf(reply);
  const { error } = uploadProblem.safeParse(json).data ?? {};
  const { code = "", detail, title } = problem.safeParse(json).data ?? {};
  const seconds = Number(reply.headers["retry-after"]);
  const wait = Number.isFinite(seconds) ? seconds * secondMs : undefined;
  throw new PeertubeRefusal(reply.status, error?.code ?? code, error?.message ?? detail ?? title ?? "", wait);
}

type Tokens = Pick<PeertubeConnection, "accessToken" | "accessUntil" | "refreshToken">;
type Client = Pick<PeertubeConnection, "url" | "clientId" | "clientSecret">;

/** Gets tokens from an instance. Throws `PeertubeRefusal`. `oneTimeCode`: of an account with two-factor authentication. */
export async function requestTokens(
  { outbound, clock }: { outbound: Outbound; clock: Pick<Clock, "real"> },
  { url, clientId: client_id, clientSecret: client_secret }: Client,
  grant: Record<string, string>,
  oneTimeCode?: string,
): Promise<Tokens> {
  const reply = await outbound.request({
    method: "POST",
    url: `${url}/api/v1/users/token`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(oneTimeCode !== undefined && { "x-peertube-otp": oneTimeCode }),
    },
    body: new URLSearchParams({ client_id, client_secret, response_type: "code", ...grant }).toString(),
    ...limitsFor(),
  });
  if (reply.status !== 200) refuse(reply);
  const { access_token, expires_in, refresh_token } = tokenReply.parse(jsonOf(reply));
  const accessUntil = clock.real() + expires_in * secondMs - tokenSlackMs;
  return { accessToken: access_token, accessUntil, refreshToken: refresh_token };
}

/** Where the connection is kept. */
export interface Kept {
  /** Rejects when there is none. */
  load(): Promise<PeertubeConnection>;
  /** Keeps new tokens in the place of those that were exchanged for them; nothing where those are kept no longer. */
  replace(refreshToken: string, tokens: Tokens): Promise<void>;
}

export interface PeertubeApi {
  connection(): Promise<PeertubeConnection>;
  /** Sends a request with an access token; its `url` is a path of the API. Throws `PeertubeRefusal` for a status that is not expected. */
  send(request: Sent): Promise<OutboundReply>;
  /** The same, for a reply in JSON. */
  ask<T>(schema: z.ZodType<T>, url: string): Promise<T>;
  /** Exchanges the tokens, so that they do not end while nothing is published. */
  refresh(): Promise<void>;
}

/**
 * Calls a PeerTube instance for the account that an operator connected. Refreshing ends the tokens before, so of the calls of a process one
 * does it for all; where another process was faster, its tokens are used.
 */
export function createPeertubeApi(parts: { outbound: Outbound; clock: Pick<Clock, "real">; kept: Kept }): PeertubeApi {
  const { outbound, clock, kept } = parts;
  let refreshing: Promise<void> | undefined;

  async function exchange(known: PeertubeConnection): Promise<void> {
    const grant = { grant_type: "refresh_token", refresh_token: known.refreshToken };
    try {
      await kept.replace(known.refreshToken, await requestTokens(parts, known, grant));
    } catch (error) {
      const isGone = error instanceof PeertubeRefusal && error.code === "invalid_grant";
      if (!isGone || (await kept.load()).refreshToken === known.refreshToken) throw error;
    }
  }

  function refresh(known: PeertubeConnection): Promise<void> {
    refreshing ??= exchange(known).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function current(): Promise<PeertubeConnection> {
    await refreshing?.catch(() => {});
    const known = await kept.load();
    if (known.accessUntil > clock.real()) return known;
    await refresh(known);
    return kept.load();
  }

  const once = ({ url, accessToken }: PeertubeConnection, { method, url: path, headers = {}, body }: Sent) =>
    outbound.request({
      method,
      url: `${url}/api/v1${path}`,
      headers: { authorization: `Bearer ${accessToken}`, ...headers },
      ...(body !== undefined && { body }),
      ...limitsFor(body),
    });

  async function send(request: Sent): Promise<OutboundReply> {
    const known = await current();
    let reply = await once(known, request);
    // The token was revoked before its time: the refresh says whether the account is still connected.
    if (reply.status === 401) {
      if ((await current()).accessToken === known.accessToken) await refresh(known);
      reply = await once(await current(), request);
    }
    return request.expects.includes(reply.status) ? reply : refuse(reply);
  }

  return {
    connection: kept.load,
    send,
    ask: async (schema, url) => schema.parse(jsonOf(await send({ method: "GET", url, expects: [200] }))),
    refresh: async () => refresh(await kept.load()),
  };
}
