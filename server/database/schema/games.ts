import { gameStatuses } from "../../../src/contract/states/index.ts";
import { bytes, int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const games = {
  categories: { id: text, name: text, slug: text },
  games: {
    id: text, owner_id: text, name: text, description: orNull(text), instructions: orNull(text), build_url: text,
    build_id: orNull(text), cover_image_url: orNull(text), external_url: orNull(text), status: oneOf(gameStatuses), devices: text,
    platforms: text,
    /** A JSON list of language tags. */
    languages: orElse(text, "[]"),
    /** The number of its last finding. */
    last_finding: orElse(int, 0),
    created_at: int, updated_at: int,
  },
  game_categories: { game_id: text, category_id: text },
  builds: {
    id: text, game_id: text, build_url: text, blob_key: orNull(text), filename: orNull(text), size: orNull(int),
    sha256: orNull(text),
    /** SHA-256 of the build's files, independent of the archive format. Computed by the client that uploaded it and not verified. */
    content_sha256: orNull(text),
    version: orNull(text), channel: orNull(text), notes: orNull(text), created_at: int,
  },
  covers: {
    game_id: text,
    /** Where it was fetched from. */
    url: text,
    content_type: text,
    /** Identifies the image in its address on this server. */
    hash: text,
    bytes: bytes, fetched_at: int,
  },
};
