import * as z from "zod";
import { conflict } from "../../../lib/api-error.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Outbound } from "../../../outbound/index.ts";
import { addressesOf, createYoutubeApi, requestTokens, type YoutubeClient } from "./api.ts";
import { YoutubeRefusal } from "./refusals.ts";

/** What the server may do with the account: upload, delete and look, and (not on devices without a browser) captions. */
const scopes = ["https://www.googleapis.com/auth/youtube", "https://www.googleapis.com/auth/youtube.force-ssl"] as const;

export interface Begun {
  url: string;
  userCode: string | null;
  deviceCode: string | null;
  intervalSeconds: number;
}

/** The page where somebody signs in whose browser returns to `redirectUri`. */
export function signInPage(
  client: YoutubeClient,
  { redirectUri, codeChallenge, state }: { redirectUri: string; codeChallenge: string; state: string },
): Begun {
  const query = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: scopes.join(" "),
    access_type: "offline",
    // Otherwise an account that was connected before gets no token to keep.
    prompt: "consent",
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
    state,
  });
  return { url: `${addressesOf(client).consent}?${query}`, userCode: null, deviceCode: null, intervalSeconds: 0 };
}

const deviceReply = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_url: z.string(),
  interval: z.number().default(5),
});

/** A code that somebody enters in any browser. */
export async function signInByDevice(outbound: Outbound, client: YoutubeClient): Promise<Begun> {
  const reply = await outbound.request({
    method: "POST",
    url: addressesOf(client).device,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: client.clientId, scope: scopes[0] }).toString(),
    deadlineMs: 30_000,
    maxBytes: 64 * 1024,
  });
  if (reply.status !== 200)
    throw conflict(`Google refused the sign-in (${reply.status}). Nothing was changed. Check the client id.`);
  const { device_code, user_code, verification_url, interval } = deviceReply.parse(JSON.parse(reply.body.toString()));
  return { url: verification_url, userCode: user_code, deviceCode: device_code, intervalSeconds: Math.ceil(interval) };
}

export type Proof = { code: string; codeVerifier: string; redirectUri: string } | { deviceCode: string };

const channels = z.object({ items: z.array(z.object({ snippet: z.object({ title: z.string() }) })).optional() });

/** Exchanges what the sign-in returned for a token to keep. 409 while the person has not signed in, and where Google refuses. */
export async function finishSignIn(
  parts: { outbound: Outbound; clock: Pick<Clock, "real">; client: YoutubeClient },
  proof: Proof,
): Promise<{ refreshToken: string; account: string }> {
  const { outbound, client } = parts;
  const explain = (error: unknown) => {
    throw error instanceof YoutubeRefusal ? conflict(refusalText(error)) : error;
  };
  const tokens = await requestTokens(outbound, client, grantOf(proof)).catch(explain);
  const { refresh_token } = tokens;
  if (!refresh_token) throw conflict("Google returned no token to keep. Nothing was changed. Try again.");
  const api = createYoutubeApi({ ...parts, refreshToken: async () => refresh_token });
  const url = `${addressesOf(client).api}/channels?part=snippet&mine=true`;
  const [channel] = (await api.ask(channels, { method: "GET", url }).catch(explain)).items ?? [];
  if (!channel) throw conflict("This Google account has no YouTube channel. Nothing was changed. Create one, then try again.");
  return { refreshToken: refresh_token, account: channel.snippet.title };
}

const grantOf = (proof: Proof): Record<string, string> =>
  "deviceCode" in proof
    ? { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: proof.deviceCode }
    : {
        grant_type: "authorization_code",
        code: proof.code,
        code_verifier: proof.codeVerifier,
        redirect_uri: proof.redirectUri,
      };

const refusalText = ({ reason, message }: YoutubeRefusal) =>
  reason === "authorization_pending" || reason === "slow_down"
    ? "Nobody has entered the code yet. Nothing was changed. Try again in some seconds."
    : `Google refused the sign-in: ${message}. Nothing was changed.`;
