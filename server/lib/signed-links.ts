import type { Deps } from "../app/deps.ts";
import { forbidden } from "./problem.ts";
import { sameText } from "./secrets.ts";

/** One stored file, as a download shows it. The name may be any text: it is made safe where it becomes a header. */
export interface Download {
  blobKey: string;
  filename: string;
  contentType: string;
  disposition: "attachment" | "inline";
}

/** What a signed link leads to: one file, or whatever build a game has when it is opened. */
export type Target = { file: Download } | { gameId: string };

const hour = 3_600_000;
const purpose = "download GET";

export interface SignedUrl {
  url: string;
  /** Server time, ms. */
  expiresAt: number;
}

/** A link to one stored file for whoever has it, valid an hour: enough to start a download, and useless to whoever finds it later. */
export const signedUrl = (deps: Deps, file: Download, validMs = hour): SignedUrl => sign(deps, { file }, validMs);

/** Where the holder of a slot gets the game: its own address, or a signed link to the build it has when the link is opened. */
export function signedBuildUrl(deps: Deps, game: { id: string; build_id: string | null; build_url: string }): string {
  return game.build_id === null ? game.build_url : sign(deps, { gameId: game.id }, hour).url;
}

/** The token is in the query, which the log leaves out. */
function sign(deps: Deps, target: Target, validMs: number): SignedUrl {
  const expiresAt = deps.clock.now() + validMs;
  const payload = Buffer.from(JSON.stringify({ ...target, expiresAt })).toString("base64url");
  return { url: `${deps.config.baseUrl}/downloads?token=${payload}.${deps.secrets.mac(purpose, payload)}`, expiresAt };
}

/** What a token leads to; 403 when it was altered or has expired. */
export function openToken(deps: Deps, token: string): Target {
  const [payload = "", mac = ""] = token.split(".");
  if (token !== `${payload}.${mac}` || !sameText(mac, deps.secrets.mac(purpose, payload)))
    throw forbidden("This link is not valid. Request a new one.");
  const { expiresAt, ...target } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Target & { expiresAt: number };
  if (expiresAt <= deps.clock.now()) throw forbidden("This link has expired. Request a new one.");
  return target;
}
