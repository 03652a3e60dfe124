import * as z from "zod";
import { endpoint, KiB } from "./endpoint.ts";
import { extension, httpUrl, id, language, pageQuery, readableText, timestamp } from "./fields.ts";
import { uploadHeaders } from "./headers.ts";
import { gameStatuses } from "./states/index.ts";

export const deviceNames = ["PC", "Mac", "Linux", "iOS", "Android"] as const;
/** What a game can be played on. */
export type Device = (typeof deviceNames)[number];
export const platformNames = ["Steam", "Epic Games", "GOG", "itch.io", "Web", "App Store", "Google Play", "Other"] as const;
export type Platform = (typeof platformNames)[number];

const owner = { access: ["game_owner"] as const };

export const category = z
  .strictObject({
    id: id(),
    name: z.string(),
    slug: z.string(),
  })
  .meta({ id: "Category" });

export const game = z
  .strictObject({
    id: id(),
    ownerId: id(),
    name: z.string(),
    description: z.string().nullable(),
    instructions: z.string().nullable(),
    buildUrl: z.string(),
    coverImageUrl: z.string().nullable(),
    externalUrl: z.string().nullable(),
    status: z.enum(gameStatuses),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Game" });

export const gameWithRelations = game
  .extend({
    categories: z.array(category),
    devices: z.array(z.enum(deviceNames)),
    platforms: z.array(z.enum(platformNames)),
    languages: extension(z.array(z.string())),
  })
  .meta({ id: "GameWithRelations" });

export const build = z
  .strictObject({
    id: id(),
    gameId: id(),
    buildUrl: z.string(),
    createdAt: timestamp(),
    filename: extension(z.string().nullable()),
    size: extension(z.int().nullable().meta({ description: "Size in bytes, of a hosted build." })),
    sha256: extension(z.string().nullable()),
    contentSha256: extension(
      z.string().nullable().meta({
        description: "SHA-256 of the files in the build, independent of how they are packed; declared by the uploader.",
      }),
    ),
    version: extension(z.string().nullable()),
    channel: extension(z.string().nullable()),
    notes: extension(z.string().nullable()),
  })
  .meta({ id: "Build" });

const nameField = readableText(200).meta({ description: "The game's name." });
const shownBefore = "Description, shown to playtesters before and after claiming";
const shownAfter = "Instructions, shown to playtesters only after claiming a slot";
const optionalText = (description: string) => readableText(5000, 0).nullable().optional().meta({ description });
const buildUrlField = httpUrl().meta({ description: "URL of the build." });
const devicesField = z.array(z.enum(deviceNames)).max(20).meta({ description: "PC, Mac, Linux, iOS, Android." });
const platformsField = z.array(z.enum(platformNames)).max(20).meta({ description: "Names from the platforms endpoint." });
const languagesField = z
  .array(language())
  .max(50)
  .meta({ description: "Languages that the game can be played in, as BCP 47 tags such as en and pt-BR." });
const tagsField = z
  .array(id())
  .max(30)
  .meta({ description: "Category ids from the categories endpoint. The `playtest` command also takes their names and slugs." });

const coverField = httpUrl().meta({
  description: "URL of a picture shown with the game: a PNG, JPEG, WebP or GIF of at most 1 MiB, at a public https address.",
});
const externalField = httpUrl().meta({ description: "URL of the game's own page, such as its store page." });

/** What the build of a slot is, for its description. */
export const playedBuild =
  "Build that its playtester has: the newest at the claim, when the fixed time began or, after a reported problem, when the slot was returned; null if none was uploaded by then.";

export const createGameBody = z.strictObject({
  name: nameField,
  description: optionalText(`${shownBefore}.`),
  instructions: optionalText(`${shownAfter}.`),
  buildUrl: buildUrlField,
  coverImageUrl: coverField.optional(),
  externalUrl: externalField.optional(),
  devices: devicesField.optional(),
  platforms: platformsField.optional(),
  languages: extension(languagesField.optional()),
  tags: tagsField.optional(),
});

export const updateGameBody = z
  .strictObject({
    name: nameField.optional(),
    description: optionalText(`${shownBefore}; null removes it.`),
    instructions: optionalText(`${shownAfter}; null removes them.`),
    buildUrl: buildUrlField.optional(),
    coverImageUrl: coverField
      .nullable()
      .optional()
      .meta({ description: "URL of a picture shown with the game; null removes it." }),
    externalUrl: externalField.nullable().optional().meta({ description: "URL of the game's own page; null removes it." }),
    devices: devicesField.optional(),
    platforms: platformsField.optional(),
    languages: extension(languagesField.optional()),
    tags: tagsField.optional(),
  })
  .prefault({});

export const games = {
  listGames: endpoint("GET /games", {
    ...owner,
    summary: "List your games",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ games: z.array(gameWithRelations) }),
  }),
  createGame: endpoint("POST /games", {
    ...owner,
    summary: "Create a game",
    body: createGameBody,
    maxBodyBytes: 128 * KiB,
    status: 201,
    reply: z.strictObject({ game }),
  }),
  getGame: endpoint("GET /games/:id", {
    ...owner,
    summary: "Show a game",
    reply: z.strictObject({ game: gameWithRelations }),
  }),
  updateGame: endpoint("PATCH /games/:id", {
    ...owner,
    summary: "Update a game; a list replaces the existing values",
    body: updateGameBody,
    maxBodyBytes: 128 * KiB,
    reply: z.strictObject({ game }),
  }),
  listBuilds: endpoint("GET /games/:id/builds", {
    ...owner,
    summary: "List the builds of a game",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ builds: z.array(build) }),
  }),
  createBuildUpload: endpoint("POST /games/:id/builds", {
    ...owner,
    summary: "Start a resumable build upload (tus 1.0)",
    extension: true,
    media: "tus",
    status: 201,
    reply: z.strictObject({}),
    headers: uploadHeaders,
    errors: ["PAYLOAD_TOO_LARGE"],
  }),
  getBuildDownloadUrl: endpoint("GET /games/:id/builds/:buildId/download-url", {
    ...owner,
    summary: "Get a signed link to a hosted build, valid for one hour",
    extension: true,
    reply: z.strictObject({ downloadUrl: z.string(), expiresAt: timestamp() }),
  }),
};
