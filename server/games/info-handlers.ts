import { deviceNames, platformNames } from "../../src/contract/games.ts";
import { contract } from "../../src/contract/index.ts";
import { openapi } from "../../src/contract/openapi/document.ts";
import type { Handlers } from "../http/call.ts";
import { listedFrom, RawResponse } from "../http/call.ts";
import * as gameStore from "./store.ts";

const named = (names: readonly string[]) => names.map((name) => ({ id: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"), name }));

/** The operations that this server offers beyond the specification, as `METHOD path`. */
const extensionsOf = (sandbox: boolean) =>
  Object.values(contract)
    .filter((endpoint) => endpoint.extension && (endpoint.only !== "sandbox" || sandbox))
    .map((endpoint) => `${endpoint.method} ${endpoint.path}`);

export const info = {
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
  async getServerInfo({ deps }) {
    const { config } = deps;
    return {
      name: "playtest",
      version: config.version,
      sandbox: config.sandbox,
      termsUrl: deps.brand.termsUrl,
      privacyUrl: deps.brand.privacyUrl,
      extensions: extensionsOf(config.sandbox),
      features: {
        payments: config.payments.enabled,
        cards: deps.cards?.name ?? null,
        crypto: [...deps.chains.pairs],
        transcription: deps.transcriber !== null,
        sampleTranscripts: deps.transcriber?.isSample === true,
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

  async getOpenapi({ deps }) {
    deps.openapi ??= Buffer.from(JSON.stringify(openapi(contract, deps.config)));
    const body = deps.openapi;
    return new RawResponse((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length });
      response.end(body);
    });
  },
} satisfies Partial<Handlers>;
