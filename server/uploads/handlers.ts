import { mkdirSync } from "node:fs";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import type { Deps } from "../app/deps.ts";
import * as games from "../games/store.ts";
import type { Call, Handler, Handlers } from "../http/call.ts";
import { RawResponse } from "../http/call.ts";
import { ApiError, invalid, notFound } from "../lib/api-error.ts";
import { late } from "../lib/late.ts";
import { signedUrl } from "../lib/signed-links.ts";
import { iso } from "../lib/time.ts";
import * as slots from "../playtests/slots/store.ts";
import { type Creation, readText } from "./headers.ts";
import type { NewUpload } from "./index.ts";
import { readLabels, requireOwnBuild } from "./labels.ts";
import * as store from "./store.ts";

/** Creates the folder of unfinished uploads. One that is created later may come back after an ephemeral server removed its data. */
export const createFolder = (dataDir: string) => void mkdirSync(store.folderOf(dataDir), { recursive: true, mode: 0o700 });

const load = late(() => import("./index.ts"));
const uploadsOf = async (deps: Deps) => (await load()).uploadsOf(deps);

/** Creates the upload that `prepare` describes, after its own checks. See `Uploads.create`. */
const creation = (
  { deps, principal }: Pick<Call<Endpoint>, "deps" | "principal">,
  prepare: (read: (maxBytes: number) => Creation) => Promise<NewUpload>,
) => new RawResponse(async (request, response) => (await uploadsOf(deps)).create(principal, prepare, request, response));

const named = (metadata: Creation["metadata"]) => ({
  filename: readText(metadata, "filename", 255),
  filetype: readText(metadata, "filetype", 100, true),
});

const link = (deps: Deps, file: store.SubmittedFile) => {
  const { blob_key: blobKey, filename, content_type: contentType } = file;
  const { url, expiresAt } = signedUrl(deps, { blobKey, filename, contentType, disposition: "attachment" });
  return { downloadUrl: url, expiresAt: iso(expiresAt) };
};

export const uploads = {
  createBuildUpload: async (call) =>
    creation(call, async (read) => {
      const { principal, params } = call;
      await call.read((q) => requireOwnBuild(q, principal, params.id));
      const { size, metadata } = read(call.deps.config.uploads.buildMaxBytes);
      const sha256 = readText(metadata, "sha256", 64).toLowerCase();
      if (!/^[0-9a-f]{64}$/.test(sha256)) throw invalid("sha256", "must be the file's SHA-256, 64 hexadecimal digits");
      readLabels(metadata);
      const of = { kind: "build", user_id: principal.userId, game_id: params.id, slot_id: null } as const;
      return { ...of, sha256, size, metadata, ...named(metadata) };
    }),

  createVideoUpload: async (call) =>
    creation(call, async (read) => {
      const userId = call.principal.userId;
      const slot = await call.read((q) => slots.find(q, call.params.id));
      if (!slot || slot.playtester_id !== userId) throw notFound();
      const creation = read(call.deps.config.uploads.videoMaxBytes);
      const of = { user_id: userId, game_id: slot.game_id, slot_id: slot.id, sha256: null };
      return { kind: "video", ...of, ...creation, ...named(creation.metadata) };
    }),

  getBuildDownloadUrl: async (call) =>
    call.read(async (q) => {
      const game = await games.findForOwner(q, call.params.id, call.principal.userId);
      if (!game) throw notFound();
      if (game.status === "suspended")
        throw new ApiError(
          "NOT_FOUND",
          "This game is suspended, so its builds cannot be downloaded. Ask the operator of this server.",
        );
      const build = await games.findBuild(q, call.params.id, call.params.buildId);
      if (!build) throw notFound();
      if (build.blob_key === null)
        throw new ApiError("NOT_FOUND", "This build is not stored on this server. Download it from its buildUrl.");
      return link(call.deps, {
        blob_key: build.blob_key,
        filename: build.filename ?? "build",
        content_type: "application/octet-stream",
      });
    }),

  getSlotDownloadUrl: async (call) =>
    call.read(async (q) => {
      const slot = await slots.findForOwner(q, call.params.id, call.principal.userId);
      const video = slot && (await store.submittedFile(q, slot.id));
      if (!video) throw notFound();
      return link(call.deps, video);
    }),
} satisfies Partial<Handlers>;

/** The methods of tus 1.0 for existing uploads. They are not in the contract, whose replies are JSON, but need the same API key. */
export const uploadMethods = ["HEAD", "PATCH", "DELETE", "OPTIONS"] as const;

export const uploadEndpoint: Endpoint = {
  ...contract.createVideoUpload,
  path: "/uploads/:id",
  access: { anyOf: ["game_owner", "playtester"] },
};

export const uploadHandler: Handler<Endpoint> = async (call) =>
  new RawResponse(async (request, response) =>
    (await uploadsOf(call.deps)).serve((call.params as { id: string }).id, call.principal, request, response),
  );
