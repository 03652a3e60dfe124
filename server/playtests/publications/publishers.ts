import { type PublisherName, publisherTitles } from "../../../src/contract/publications/publishers.ts";
import type { Deps } from "../../app/deps.ts";
import * as connections from "./connections-store.ts";
import { createOwnPublisher } from "./own.ts";
import type { Publishers } from "./publisher.ts";
import { createYoutubeApi } from "./youtube/api.ts";
import { YoutubePublisher } from "./youtube/publisher.ts";

type Parts = Pick<Deps, "config" | "store" | "secrets" | "outbound" | "clock" | "log">;

/** What the settings allow to publish with. A platform also needs an account, which an operator connects. */
export function createPublishers(deps: Parts): Publishers {
  const { config, outbound, clock, log } = deps;
  const client = youtubeClient(config);
  if (!client) return { own: createOwnPublisher(config) };
  const { title, description, youtube } = config.publishing;
  const api = createYoutubeApi({ client, outbound, clock, refreshToken: () => tokenOf(deps, "youtube") });
  const settings = { ...client, title, description, privacy: youtube.privacy };
  return { own: createOwnPublisher(config), youtube: new YoutubePublisher({ settings, api, clock, log }) };
}

/** The operator's client at Google. Undefined without one. */
export function youtubeClient({ publishing: { youtube } }: Deps["config"]) {
  const { clientId, clientSecret, apiUrl } = youtube;
  return clientId === null || clientSecret === null ? undefined : { clientId, clientSecret, apiUrl };
}

/** The refresh token of the connected account. Throws a sentence when there is none. */
async function tokenOf({ store, secrets }: Parts, adapter: PublisherName): Promise<string> {
  const connection = await store.read((q) => connections.find(q, adapter));
  if (connection) return secrets.open(connection.sealed, connections.connectionContext(adapter));
  throw new Error(
    `This server is not connected to ${publisherTitles[adapter]}. An operator connects it with \`playtest admin publishing connect ${adapter}\`.`,
  );
}
