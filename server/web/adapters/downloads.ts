import { pages } from "../../../src/contract/pages/addresses.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import * as games from "../../games/store.ts";
import { ApiError, forbidden, notFound } from "../../lib/api-error.ts";
import { type Download, openToken, type Target } from "../../lib/signed-links.ts";
import { isLinkLive } from "../../uploads/blob-store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { redirect } from "../html.ts";
import type { Page } from "../types.ts";

type OfGame = Extract<Target, { gameId: string }>;

/** `/downloads?token=…`: a file, for anybody who has the signed link. `/builds/<id>`: the URL of a hosted build, refused without a signed link. */
export function downloads(deps: Deps): Record<"downloads" | "builds", Page> {
  return {
    async downloads(request, response, url) {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new ApiError("METHOD_NOT_ALLOWED", "A download link takes GET, HEAD.", { headers: { Allow: "GET, HEAD" } });
      const target = openToken(deps, url.searchParams.get("token") ?? "");
      const file = "file" in target ? await stored(target.file, target.holder) : await fileOf(target, target.holder);
      if (typeof file === "string") return redirect(response, file);
      await sendFile(deps, request, response, file);
    },
    builds: async (_request, _response, url) => {
      if (url.pathname === pages.noBuild())
        throw new ApiError(
          "NOT_FOUND",
          "This game has no build yet. Its owner has to upload one. Write to the owner, or report a problem with your slot.",
        );
      throw forbidden("This build requires a signed link. The owner and playtesters who hold a slot get one from the API.");
    },
  };

  /** Looked up at each use: a link ends with its file, and with the account that it was made for. */
  async function stored(file: Download, holder: string | undefined): Promise<Download> {
    if (!(await deps.store.read((q) => isLinkLive(q, file, holder)))) throw notFound();
    return file;
  }

  /** A build of the game: a stored file, or a URL on another server. 404 once the game, its owner or the playtester is suspended. */
  async function fileOf({ gameId, buildId }: OfGame, holder: string | undefined): Promise<Download | string> {
    return deps.store.read(async (q) => {
      const game = await games.findOffered(q, gameId);
      const player = holder === undefined ? undefined : await users.standing(q, holder);
      if (!game || (player && (player.suspended_at !== null || player.deleted_at !== null))) throw notFound();
      const id = buildId ?? game.build_id;
      const build = id === null ? undefined : await games.findBuild(q, gameId, id);
      if (!build?.blob_key) return game.build_url;
      const { blob_key: blobKey, filename } = build;
      return { blobKey, filename: filename ?? "build", contentType: "application/octet-stream", disposition: "attachment" };
    });
  }
}
