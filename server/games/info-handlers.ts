import { deviceNames, platformNames } from "../../src/contract/games.ts";
import { contract } from "../../src/contract/index.ts";
import { openapi } from "../../src/contract/openapi/document.ts";
import type { Deps } from "../app/deps.ts";
import type { HandlersFor } from "../http/call.ts";
import { listedFrom, RawResponse } from "../http/call.ts";
import * as gameStore from "./store.ts";

type Ops = "listCategories" | "listDevices" | "listPlatforms" | "getServerInfo" | "getOpenapi";

const named = (names: readonly string[]) => names.map((name) => ({ id: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"), name }));

export function info(deps: Deps): HandlersFor<Ops> {
  const extensions = Object.values(contract)
    .filter((endpoint) => endpoint.extension && (endpoint.only !== "sandbox" || deps.config.sandbox))
    .map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const { baseUrl, version, sandbox } = deps.config;
  let document: Buffer | undefined;

  return {
    async listCategories(call) {
      const all = await call.read(gameStore.allCategories);
      return listedFrom(call.page(), all, (categories) => ({ categories }));
    },
    async listDevices(call) {
      return listedFrom(call.page(), named(deviceNames), (devices) => ({ devices }));
    },
    async listPlatforms(call) {
      return listedFrom(call.page(), named(platformNames), (platforms) => ({ platforms }));
    },
    async getServerInfo() {
      const { config } = deps;
      return {
        name: "playtest",
        version: config.version,
        sandbox: config.sandbox,
        termsUrl: deps.brand.termsUrl,
        privacyUrl: deps.brand.privacyUrl,
        extensions,
        features: {
          payments: config.payments.enabled,
          cards: deps.cards?.name ?? null,
          crypto: [...deps.chains.pairs],
          transcription: deps.transcriber !== null,
          clips: deps.cutter !== null,
          buildHosting: true,
          idempotency: true,
        },
        limits: {
          videoBytes: config.uploads.videoMaxBytes,
          buildBytes: config.uploads.buildMaxBytes,
          freeTrialSlots: config.orders.trialMaxSlots,
          reservedSlots: config.playtesters.maxReserved,
        },
      };
    },

    async getOpenapi() {
      document ??= Buffer.from(JSON.stringify(openapi(contract, { baseUrl, version, sandbox })));
      const body = document;
      return new RawResponse((_, response) => {
        response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length });
        response.end(body);
      });
    },
  };
}
