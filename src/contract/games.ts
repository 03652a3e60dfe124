import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { httpUrl, id, pageQuery, text, timestamp } from "./fields.ts";

export const deviceNames = ["PC", "Mac", "Linux", "iOS", "Android"] as const;
export const platformNames = [
	"Steam",
	"Epic Games",
	"GOG",
	"itch.io",
	"Web",
	"App Store",
	"Google Play",
	"Other",
] as const;

const owner = { access: ["game_owner"] as const };

export const category = z.object({
	id: id(),
	name: z.string(),
	slug: z.string(),
});

export const game = z.object({
	id: id(),
	ownerId: id(),
	name: z.string(),
	description: z.string().nullable(),
	instructions: z.string().nullable(),
	buildUrl: z.string(),
	coverImageUrl: z.string().nullable(),
	externalUrl: z.string().nullable(),
	status: z.string().meta({ description: "`active` or `suspended`." }),
	createdAt: timestamp(),
	updatedAt: timestamp(),
});

export const gameWithRelations = game.extend({
	categories: z.array(category),
	devices: z.array(z.string()),
	platforms: z.array(z.string()),
});

export const build = z.object({
	id: id(),
	gameId: id(),
	buildUrl: z.string(),
	createdAt: timestamp(),
	filename: z.string().nullable().meta({ "x-extension": true }),
	size: z
		.int()
		.nullable()
		.meta({ "x-extension": true, description: "Bytes, of a hosted build." }),
	sha256: z.string().nullable().meta({ "x-extension": true }),
	version: z.string().nullable().meta({ "x-extension": true }),
	channel: z.string().nullable().meta({ "x-extension": true }),
	notes: z.string().nullable().meta({ "x-extension": true }),
});

const nameField = text(200, 1).meta({ description: "The game's name." });
const descriptionField = text(5000).meta({
	description: "Playtesters see it before and after claiming.",
});
const instructionsField = text(5000).meta({
	description: "Playtesters see it only after claiming a slot.",
});
const buildUrlField = httpUrl().meta({ description: "Where the build is." });
const devicesField = z
	.array(z.enum(deviceNames))
	.max(20)
	.meta({ description: "PC, Mac, Linux, iOS, Android." });
const platformsField = z
	.array(z.enum(platformNames))
	.max(20)
	.meta({ description: "Names from the platforms endpoint." });
const tagsField = z
	.array(id())
	.max(30)
	.meta({ description: "Category ids from the categories endpoint." });

export const createGameBody = z.strictObject({
	name: nameField,
	description: descriptionField.optional(),
	instructions: instructionsField.optional(),
	buildUrl: buildUrlField,
	coverImageUrl: httpUrl().optional(),
	externalUrl: httpUrl().optional(),
	devices: devicesField.optional(),
	platforms: platformsField.optional(),
	tags: tagsField.optional(),
});

export const updateGameBody = z.strictObject({
	name: nameField.optional(),
	description: descriptionField.optional(),
	instructions: instructionsField.optional(),
	buildUrl: buildUrlField.optional(),
	coverImageUrl: httpUrl().nullable().optional(),
	externalUrl: httpUrl().nullable().optional(),
	devices: devicesField.optional(),
	platforms: platformsField.optional(),
	tags: tagsField.optional(),
});

export const games = {
	listGames: endpoint("GET /games", {
		...owner,
		summary: "List your games",
		query: pageQuery(),
		list: true,
		reply: z.object({ games: z.array(gameWithRelations) }),
	}),
	createGame: endpoint("POST /games", {
		...owner,
		summary: "Register a game",
		body: createGameBody,
		status: 201,
		reply: z.object({ game }),
	}),
	getGame: endpoint("GET /games/:id", {
		...owner,
		summary: "Show a game",
		reply: z.object({ game: gameWithRelations }),
	}),
	updateGame: endpoint("PATCH /games/:id", {
		...owner,
		summary: "Change a game; lists given replace the existing set",
		body: updateGameBody,
		reply: z.object({ game }),
	}),
	listBuilds: endpoint("GET /games/:id/builds", {
		...owner,
		summary: "List the builds a game has had",
		query: pageQuery(),
		list: true,
		reply: z.object({ builds: z.array(build) }),
	}),
	createBuildUpload: endpoint("POST /games/:id/builds", {
		...owner,
		summary: "Start a resumable build upload (tus 1.0)",
		extension: true,
		media: "tus",
		status: 201,
		reply: z.object({}),
		headers: ["upload-length", "upload-metadata", "tus-resumable"],
		problems: ["PAYLOAD_TOO_LARGE"],
	}),
	getBuildDownloadUrl: endpoint("GET /games/:id/builds/:buildId/download-url", {
		...owner,
		summary: "Get a signed link to a hosted build, valid one hour",
		extension: true,
		reply: z.object({ downloadUrl: z.string(), expiresAt: timestamp() }),
	}),
};
