import type { PublisherName } from "../../../src/contract/publications/publishers.ts";
import type { Deps } from "../../app/deps.ts";
import * as connections from "./connections-store.ts";
import { createOwnPublisher } from "./own.ts";
import { createPeertubeApi, peertubeConnection } from "./peertube/api.ts";
import { PeertubePublisher } from "./peertube/publisher.ts";
import { notConnected, type Publishers } from "./publisher.ts";
import { createYoutubeApi } from "./youtube/api.ts";
import { YoutubePublisher } from "./youtube/publisher.ts";

type Parts = Pick<Deps, "config" | "store" | "secrets" | "outbound" | "clock" | "log">;

/** What the settings allow to publish with. A platform also needs an account, which an operator connects. */
export function createPublishers(deps: Parts): Publishers {
  const own = createOwnPublisher(deps.config);
  const peertube = createPeertubePublisher(deps);
  const youtube = createYoutubePublisher(deps);
  return youtube ? { own, peertube, youtube } : { own, peertube };
}

function createYoutubePublisher(deps: Parts): YoutubePublisher | undefined {
  const { config, outbound, clock, log } = deps;
  const client = youtubeClient(config);
  if (!client) return undefined;
  const { title, description, youtube } = config.publishing;
  const api = createYoutubeApi({ client, outbound, clock, refreshToken: () => tokensOf(deps, "youtube") });
  const settings = { ...client, title, description, privacy: youtube.privacy };
  return new YoutubePublisher({ settings, api, clock, log });
}

function createPeertubePublisher(deps: Parts): PeertubePublisher {
  const { config, outbound, clock, log, store, secrets } = deps;
  const { title, description, peertube } = config.publishing;
  const load = async () => peertubeConnection.parse(JSON.parse(await tokensOf(deps, "peertube")));
  const context = connections.connectionContext("peertube");
  const api = createPeertubeApi({
    outbound,
    clock,
    kept: {
      load,
      replace: (refreshToken, tokens) =>
        store.write(async (tx) => {
          const row = await connections.find(tx, "peertube");
          const known = row && peertubeConnection.parse(JSON.parse(secrets.open(row.sealed, context)));
          if (known?.refreshToken !== refreshToken) return;
          await connections.put(tx, { ...row!, sealed: secrets.seal(JSON.stringify({ ...known, ...tokens }), context) });
        }),
    },
  });
  return new PeertubePublisher({ settings: { title, description, privacy: peertube.privacy }, api, clock, log });
}

/** The operator's client at Google. Undefined without one. */
export function youtubeClient({ publishing: { youtube } }: Deps["config"]) {
  const { clientId, clientSecret, apiUrl } = youtube;
  return clientId === null || clientSecret === null ? undefined : { clientId, clientSecret, apiUrl };
}

/** What is kept of the connected account. Throws a sentence when there is none. */
async function tokensOf({ store, secrets }: Parts, adapter: PublisherName): Promise<string> {
  const connection = await store.read((q) => connections.find(q, adapter));
  if (connection) return secrets.open(connection.sealed, connections.connectionContext(adapter));
  throw notConnected(adapter);
}
