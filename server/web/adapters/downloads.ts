import type { Deps } from "../../app/deps.ts";
import * as games from "../../games/store.ts";
import { forbidden, notFound, Problem } from "../../lib/problem.ts";
import { type Download, openToken } from "../../lib/signed-links.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { redirect } from "../html.ts";
import type { Page } from "../types.ts";

/** `/downloads?token=…`: a file, for anybody who has the signed link. `/builds/<id>`: the URL of a hosted build, refused without a signed link. */
export function downloads(deps: Deps): Record<"downloads" | "builds", Page> {
  return {
    async downloads(request, response, url) {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new Problem("METHOD_NOT_ALLOWED", "A download link takes GET, HEAD.", { headers: { Allow: "GET, HEAD" } });
      const target = openToken(deps, url.searchParams.get("token") ?? "");
      const file = "file" in target ? target.file : await currentBuild(target.gameId);
      if (typeof file === "string") return redirect(response, file);
      await sendFile(deps, request, response, file);
    },
    builds: async () => {
      throw forbidden("This build requires a signed link. The owner and playtesters who hold a slot get one from the API.");
    },
  };

  /** The current build of the game: a stored file, or a URL on another server. */
  async function currentBuild(gameId: string): Promise<Download | string> {
    return deps.store.read(async (q) => {
      const game = await games.find(q, gameId);
      if (!game) throw notFound();
      const build = game.build_id === null ? undefined : await games.findBuild(q, gameId, game.build_id);
      if (!build?.blob_key) return game.build_url;
      const { blob_key: blobKey, filename } = build;
      return { blobKey, filename: filename ?? "build", contentType: "application/octet-stream", disposition: "attachment" };
    });
  }
}
