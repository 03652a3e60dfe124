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

/** The target of a signed link: a file, or the current build of a game when the link is opened; and the account the link was made for. */
export type Target = ({ file: Download } | { gameId: string }) & { holder?: string };

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

/** The URL where a playtester gets the game: its own URL, or a signed link to the current build when the link is opened. */
export function signedBuildUrl(
  deps: Deps,
  game: { id: string; build_id: string | null; build_url: string },
  holder: string,
): string {
  return game.build_id === null ? game.build_url : sign(deps, { gameId: game.id, holder }, hour).url;
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
