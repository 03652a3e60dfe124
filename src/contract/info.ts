import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { wholeListQuery } from "./fields.ts";
import { category } from "./games.ts";

const any = { access: "any", query: wholeListQuery(), list: true } as const;
const named = z.strictObject({ id: z.string(), name: z.string() });

export const serverInfo = z.strictObject({
  name: z.string(),
  version: z.string(),
  sandbox: z.boolean(),
  termsUrl: z.string().nullable().meta({ description: "Terms that whoever creates an account accepts; null for none." }),
  privacyUrl: z.string().nullable().meta({ description: "Privacy policy; null for none." }),
  extensions: z
    .array(z.string())
    .meta({ description: "Endpoints that other servers of this API need not have, as `METHOD /path`." }),
  features: z.strictObject({
    payments: z.boolean().meta({ description: "Whether orders cost money and playtesters earn it." }),
    cards: z
      .string()
      .nullable()
      .meta({ description: "Name of the card processor, such as `stripe`; `sandbox` for test cards. Null: no card payments." }),
    crypto: z.array(z.strictObject({ chain: z.string(), currency: z.string() })),
    transcription: z.boolean(),
    sampleTranscripts: z
      .boolean()
      .meta({ description: "Whether every video gets the same sample transcript, whatever is said in it, as in a demo." }),
    clips: z.boolean().meta({ description: "Whether the server cuts clips and still images out of videos." }),
    buildHosting: z.boolean(),
    idempotency: z.boolean().meta({
      description:
        "Whether every change that is made with an API key takes effect only once for each `Idempotency-Key`, uploads excepted. Every server of this API does that for new games and orders.",
    }),
  }),
  limits: z.strictObject({
    videoBytes: z.int(),
    buildBytes: z.int(),
    freeTrialSlots: z.int(),
    reservedSlots: z.int().meta({ description: "Maximum number of slots that a playtester can hold at once." }),
  }),
});

export const info = {
  listCategories: endpoint("GET /info/categories", {
    ...any,
    summary: "List game categories",
    reply: z.strictObject({ categories: z.array(category) }),
  }),
  listDevices: endpoint("GET /info/devices", {
    ...any,
    summary: "List devices",
    reply: z.strictObject({ devices: z.array(named) }),
  }),
  listPlatforms: endpoint("GET /info/platforms", {
    ...any,
    summary: "List platforms",
    reply: z.strictObject({ platforms: z.array(named) }),
  }),
  getServerInfo: endpoint("GET /info/server", {
    access: "none",
    extension: true,
    summary: "Show the server's name, version, features and limits",
    reply: serverInfo,
  }),
  getOpenapi: endpoint("GET /openapi.json", {
    access: "none",
    extension: true,
    summary: "Get the OpenAPI document of this API",
    media: "document",
    reply: z.record(z.string(), z.unknown()),
  }),
};
