import { type Platform, type PublisherName, publishers, publisherTitles } from "../../../src/contract/publications/publishers.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict, invalid, notConfigured } from "../../lib/api-error.ts";
import { isoOrNull } from "../../lib/time.ts";
import * as connections from "./connections-store.ts";
import { scheduleKeeping } from "./jobs.ts";
import { accountOf } from "./peertube/publisher.ts";
import { signIn } from "./peertube/sign-in.ts";
import { youtubeClient } from "./publishers.ts";
import type { YoutubeClient } from "./youtube/api.ts";
import { finishSignIn, type Proof, signInByDevice, signInPage } from "./youtube/sign-in.ts";

async function publisherView(q: ReadTx, deps: Deps, adapter: PublisherName) {
  const connection = await connections.find(q, adapter);
  const isConfigured = deps.publishers[adapter] !== undefined;
  return {
    adapter,
    inUse: q.config.publishing.to === adapter,
    state: !isConfigured
      ? ("not_configured" as const)
      : adapter === "own" || connection
        ? ("connected" as const)
        : ("not_connected" as const),
    account: connection?.account ?? null,
    connectedAt: isoOrNull(connection?.created_at ?? null),
  };
}

/** The operator's client at Google. 503 without one. */
function clientOf({ config }: Deps): YoutubeClient {
  const client = youtubeClient(config);
  if (client) return client;
  throw notConfigured(
    `This server has no client for ${publisherTitles.youtube}. Nothing was changed. Set publishing.youtube.clientId and publishing.youtube.clientSecret, then restart it.`,
  );
}

/** What is kept of an account, sealed, and what people call it. */
interface SignedIn {
  tokens: string;
  account: string;
}

interface Given {
  instance?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  oneTimeCode?: string | undefined;
  channel?: string | undefined;
  code?: string | undefined;
  codeVerifier?: string | undefined;
  redirectUri?: string | undefined;
  deviceCode?: string | undefined;
}

function proofOf({ code, codeVerifier, redirectUri, deviceCode }: Given): Proof {
  if (deviceCode !== undefined) return { deviceCode };
  if (code === undefined) throw invalid("code", "is required, or deviceCode");
  if (codeVerifier === undefined) throw invalid("codeVerifier", "is required with a code");
  if (redirectUri === undefined) throw invalid("redirectUri", "is required with a code");
  return { code, codeVerifier, redirectUri };
}

async function signInToYoutube(deps: Deps, given: Given): Promise<SignedIn> {
  const { outbound, clock } = deps;
  const { refreshToken, account } = await finishSignIn({ outbound, clock, client: clientOf(deps) }, proofOf(given));
  return { tokens: refreshToken, account };
}

async function signInToPeertube(deps: Deps, given: Given): Promise<SignedIn> {
  const { instance, username, password, oneTimeCode, channel } = given;
  if (instance === undefined) throw invalid("instance", "is required");
  if (username === undefined) throw invalid("username", "is required");
  if (password === undefined) throw invalid("password", "is required");
  const connection = await signIn(deps, { instance, username, password, oneTimeCode, channel });
  return { tokens: JSON.stringify(connection), account: accountOf(connection) };
}

const signIns: Record<Platform, (deps: Deps, given: Given) => Promise<SignedIn>> = {
  youtube: signInToYoutube,
  peertube: signInToPeertube,
};

/** The accounts with which this server publishes on platforms. */
export const publisherConnections = {
  listPublishers: (call) =>
    call.read(async (q) => {
      const views = [];
      for (const adapter of publishers) views.push(await publisherView(q, call.deps, adapter));
      return { publishers: views };
    }),

  async startPublisherSignIn(call) {
    const client = clientOf(call.deps);
    const { redirectUri, codeChallenge, state } = call.body;
    if (redirectUri === undefined) return signInByDevice(call.deps.outbound, client);
    if (codeChallenge === undefined) throw invalid("codeChallenge", "is required with a redirect");
    if (state === undefined) throw invalid("state", "is required with a redirect");
    return signInPage(client, { redirectUri, codeChallenge, state });
  },

  async connectPublisher(call) {
    const { adapter } = call.body;
    const { tokens, account } = await signIns[adapter](call.deps, call.body);
    return call.commit(async (tx, trail) => {
      const sealed = tx.secrets.seal(tokens, connections.connectionContext(adapter));
      const known = await connections.find(tx, adapter);
      const id = known?.id ?? tx.newId();
      if (known) await trail.changing(id);
      else trail.created(id);
      await connections.put(tx, { id, adapter, account, sealed, created_at: tx.now });
      if (call.deps.publishers[adapter]?.keepConnected) await scheduleKeeping(tx, adapter);
      return { publisher: await publisherView(tx, call.deps, adapter) };
    });
  },

  disconnectPublisher: (call) =>
    call.commit(async (tx, trail) => {
      const { adapter } = call.body;
      const known = await connections.find(tx, adapter);
      if (!known) throw conflict(`This server is not connected to ${publisherTitles[adapter]}. Nothing was changed.`);
      await trail.changing(known.id);
      await connections.remove(tx, adapter);
      return { publisher: await publisherView(tx, call.deps, adapter) };
    }),
} satisfies Partial<Handlers>;
