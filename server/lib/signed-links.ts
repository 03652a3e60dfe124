import { pages } from "../../src/contract/pages/addresses.ts";
import type { Deps } from "../app/deps.ts";
import { forbidden } from "./api-error.ts";
import { sameText } from "./secrets.ts";

/** A stored file to download. The name may be any text: it is escaped when it is written to a header. */
export interface Download {
  blobKey: string;
  filename: string;
  contentType: string;
  disposition: "attachment" | "inline";
}

/**
 * The target of a signed link: a file, or a build of a game; and the account the link was made for. A link of an earlier version names no build: it
 * leads to the current one.
 */
export type Target = ({ file: Download } | { gameId: string; buildId?: string }) & { holder?: string };

const hour = 3_600_000;
const purpose = "download GET";

export interface SignedUrl {
  url: string;
  /** Server time, ms. */
  expiresAt: number;
}

/**
 * A link to a stored file that works without signing in, valid for an hour: enough to start a download, and useless if it leaks later. It
 * ends earlier with the file and with the account that it was made for: the file's owner, unless `holder` is another.
 */
export const signedUrl = (deps: Deps, file: Download, holder?: string): SignedUrl =>
  sign(deps, { file, ...(holder !== undefined && { holder }) }, hour);

/**
 * The URL where a playtester gets their build: its own, or a signed link to its file. Who has none, as after a claim from before the game had any,
 * gets the current build of the game.
 */
export function signedBuildUrl(
  deps: Deps,
  game: { id: string; build_id: string | null; build_url: string },
  build: { id: string; build_url: string; blob_key: string | null } | undefined,
  holder: string,
): string {
  const isNone = build === undefined || build.build_url === deps.config.baseUrl + pages.noBuild();
  const [url, id] = isNone ? [game.build_url, game.build_id] : [build.build_url, build.blob_key === null ? null : build.id];
  return id === null ? url : sign(deps, { gameId: game.id, buildId: id, holder }, hour).url;
}

/** The token is in the query, which is not logged. */
function sign(deps: Deps, target: Target, validMs: number): SignedUrl {
  const expiresAt = deps.clock.now() + validMs;
  const payload = Buffer.from(JSON.stringify({ ...target, expiresAt })).toString("base64url");
  return { url: `${deps.config.baseUrl}/downloads?token=${payload}.${deps.secrets.mac(purpose, payload)}`, expiresAt };
}

/** The target of a token. 403 when the token was altered or has expired. */
export function openToken(deps: Deps, token: string): Target {
  const [payload = "", mac = ""] = token.split(".");
  if (token !== `${payload}.${mac}` || !sameText(mac, deps.secrets.mac(purpose, payload)))
    throw forbidden("This link is not valid. Request a new one.");
  const { expiresAt, ...target } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Target & { expiresAt: number };
  if (expiresAt <= deps.clock.now()) throw forbidden("This link has expired. Request a new one.");
  return target;
}
