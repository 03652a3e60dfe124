import * as z from "zod";
import { conflict, invalid } from "../../../lib/api-error.ts";
import type { Clock } from "../../../lib/clock.ts";
import { AddressRefused, type Outbound } from "../../../outbound/index.ts";
import { jsonOf } from "../../../outbound/json.ts";
import type { OutboundReply } from "../../../outbound/types.ts";
import { limitsFor } from "../requests.ts";
import { type PeertubeConnection, refuse, requestTokens } from "./api.ts";
import { PeertubeRefusal } from "./refusals.ts";

interface Parts {
  outbound: Outbound;
  clock: Pick<Clock, "real">;
}

export interface PeertubeSignIn {
  /** An address of the instance. */
  instance: string;
  username: string;
  password: string;
  /** Of an account with two-factor authentication. */
  oneTimeCode?: string | undefined;
  /** The name of the channel; without it, the account's first one. */
  channel?: string | undefined;
}

const clientReply = z.object({ client_id: z.string(), client_secret: z.string() });
const meReply = z.object({
  username: z.string(),
  videoChannels: z.array(z.object({ id: z.int(), name: z.string() })).default([]),
});

/** Signs in to a PeerTube instance, once: its tokens are to be kept, not the password. 409 where the instance refuses. */
export async function signIn(parts: Parts, given: PeertubeSignIn): Promise<PeertubeConnection> {
  const url = new URL(given.instance).origin;
  const host = new URL(url).host;
  const client = await clientOf(parts, url);
  const grant = { grant_type: "password", username: given.username, password: given.password };
  const tokens = await explained(host, () => requestTokens(parts, { url, ...client }, grant, given.oneTimeCode));
  const me = () => get(parts, `${url}/api/v1/users/me`, tokens.accessToken);
  const { username, videoChannels } = await explained(host, async () => meReply.parse(jsonOf(await me())));
  const channel = given.channel === undefined ? videoChannels[0] : videoChannels.find(({ name }) => name === given.channel);
  if (channel) return { url, username, ...client, ...tokens, channelId: channel.id };
  const names = videoChannels.map(({ name }) => name).join(", ");
  throw invalid("channel", names === "" ? "is required: the account has no channel" : `must be one of: ${names}`);
}

/** The client that an instance gives to everybody. */
async function clientOf(parts: Parts, url: string): Promise<{ clientId: string; clientSecret: string }> {
  const { host } = new URL(url);
  const reply = await explained(host, () => get(parts, `${url}/api/v1/oauth-clients/local`));
  const found = clientReply.safeParse(jsonOf(reply)).data;
  if (found) return { clientId: found.client_id, clientSecret: found.client_secret };
  throw conflict(`${host} does not answer as a PeerTube instance. Nothing was changed. Check the address.`);
}

async function get({ outbound }: Parts, url: string, accessToken?: string): Promise<OutboundReply> {
  const headers: Record<string, string> = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  const reply = await outbound.request({ method: "GET", url, headers, ...limitsFor() });
  return reply.status === 200 ? reply : refuse(reply);
}

/** Throws for people what an instance refuses, or that it cannot be reached. */
async function explained<T>(host: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid("instance", error.message);
    if (error instanceof PeertubeRefusal) throw conflict(`${sentenceOf(host, error)} Nothing was changed.`);
    throw conflict(`${host} cannot be reached. Nothing was changed. Check the address, or try again later.`);
  }
}

const sentences: Readonly<Record<string, (host: string) => string>> = {
  invalid_grant: (host) => `${host} refused the user name or the password.`,
  missing_two_factor: (host) => `${host} asks for a one-time code: the account has two-factor authentication.`,
  invalid_two_factor: (host) => `${host} refused the one-time code.`,
};

const sentenceOf = (host: string, { status, code, message }: PeertubeRefusal) =>
  Object.hasOwn(sentences, code)
    ? sentences[code]!(host)
    : `${host} refused the sign-in (${status}${message && `: ${message}`}).`;
