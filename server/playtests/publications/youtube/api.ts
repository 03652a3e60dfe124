import * as z from "zod";
import type { Clock } from "../../../lib/clock.ts";
import type { Outbound } from "../../../outbound/index.ts";
import { jsonOf } from "../../../outbound/json.ts";
import type { OutboundReply } from "../../../outbound/types.ts";
import { limitsFor, type Sent, tokenSlackMs } from "../requests.ts";
import type { Words } from "../words.ts";
import { YoutubeRefusal } from "./refusals.ts";

/** The client of the operator at Google, and where Google is. */
export interface YoutubeClient {
  clientId: string;
  clientSecret: string;
  /** Another place than Google's, for tests. */
  apiUrl: string | null;
}

export interface YoutubeSettings extends YoutubeClient, Words {
  privacy: "public" | "unlisted";
}

const secondMs = 1_000;

const tokenReply = z.object({ access_token: z.string(), expires_in: z.number(), refresh_token: z.string().optional() });
export type TokenReply = z.output<typeof tokenReply>;
const refusedGrant = z.object({ error: z.string(), error_description: z.string().optional() });
const refusedCall = z.object({
  error: z.object({ message: z.string().optional(), errors: z.array(z.object({ reason: z.string().optional() })).optional() }),
});

/** Google's addresses. */
export const addressesOf = ({ apiUrl }: Pick<YoutubeClient, "apiUrl">) => ({
  api: `${apiUrl ?? "https://www.googleapis.com"}/youtube/v3`,
  upload: `${apiUrl ?? "https://www.googleapis.com"}/upload/youtube/v3`,
  token: `${apiUrl ?? "https://oauth2.googleapis.com"}/token`,
  device: `${apiUrl ?? "https://oauth2.googleapis.com"}/device/code`,
  consent: `${apiUrl ?? "https://accounts.google.com"}/o/oauth2/v2/auth`,
});

/** Asks Google's sign-in for tokens, with the client of the operator. Throws a refusal with its `error` as the reason. */
export async function requestTokens(
  outbound: Outbound,
  client: YoutubeClient,
  grant: Record<string, string>,
): Promise<TokenReply> {
  const { clientId: client_id, clientSecret: client_secret } = client;
  const reply = await outbound.request({
    method: "POST",
    url: addressesOf(client).token,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id, client_secret, ...grant }).toString(),
    ...limitsFor(),
  });
  const json = jsonOf(reply);
  if (reply.status === 200) return tokenReply.parse(json);
  const { error, error_description = error } = refusedGrant.safeParse(json).data ?? { error: "" };
  throw new YoutubeRefusal(reply.status, error, error_description);
}

export interface YoutubeApi {
  /** Sends a request with an access token. Throws `YoutubeRefusal` for a status that is not expected. */
  send(request: Sent): Promise<OutboundReply>;
  /** The same, for a reply in JSON. */
  ask<T>(schema: z.ZodType<T>, request: Omit<Sent, "expects">): Promise<T>;
}

/** Calls YouTube for the account that an operator connected. `refreshToken` rejects when there is none. */
export function createYoutubeApi(options: {
  client: YoutubeClient;
  outbound: Outbound;
  clock: Pick<Clock, "real">;
  refreshToken(): Promise<string>;
}): YoutubeApi {
  const { client, outbound, clock } = options;
  let access: { token: string; until: number; from: string } | undefined;

  async function accessToken(): Promise<string> {
    const refresh_token = await options.refreshToken();
    if (access && access.from === refresh_token && access.until > clock.real()) return access.token;
    const reply = await requestTokens(outbound, client, { grant_type: "refresh_token", refresh_token });
    access = { token: reply.access_token, until: clock.real() + reply.expires_in * secondMs - tokenSlackMs, from: refresh_token };
    return access.token;
  }

  async function once({ method, url, headers = {}, body }: Sent): Promise<OutboundReply> {
    return outbound.request({
      method,
      url,
      headers: { authorization: `Bearer ${await accessToken()}`, ...headers },
      ...(body !== undefined && { body }),
      ...limitsFor(body),
    });
  }

  async function send(request: Sent): Promise<OutboundReply> {
    let reply = await once(request);
    // The token was revoked before its time: the next one says whether the account is still connected.
    if (reply.status === 401 && !request.expects.includes(401) && access) {
      access = undefined;
      reply = await once(request);
    }
    if (request.expects.includes(reply.status)) return reply;
    const refused = refusedCall.safeParse(jsonOf(reply)).data?.error;
    throw new YoutubeRefusal(reply.status, refused?.errors?.[0]?.reason ?? "", refused?.message ?? `status ${reply.status}`);
  }

  return {
    send,
    ask: async (schema, request) => schema.parse(jsonOf(await send({ ...request, expects: [200] }))),
  };
}
