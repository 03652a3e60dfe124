import type { IncomingHttpHeaders } from "node:http";
import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Deps } from "../../app/deps.ts";
import type { Context } from "../../app/tx.ts";
import { sameText } from "../../lib/secrets.ts";
import { sameViewMs, unlockedMs } from "./rules.ts";
import type { ShareRow } from "./store.ts";

/** Cookies of the page of one share. Browsers send them to the paths of that share and nowhere else. */
type Name = "unlocked" | "viewed";

const isSecure = ({ config }: Context) => config.baseUrl.startsWith("https:");
const nameOf = (context: Context, name: Name) => `${isSecure(context) ? "__Secure-" : ""}playtest_share_${name}`;

function bake(context: Context, token: string, name: Name, value: string, maxAgeMs: number): string {
  const attributes = `Path=${pages.share(token)}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeMs / 1000}${isSecure(context) ? "; Secure" : ""}`;
  return `${nameOf(context, name)}=${value}; ${attributes}`;
}

function read(context: Context, { cookie }: IncomingHttpHeaders, name: Name): string | undefined {
  const wanted = `${nameOf(context, name)}=`;
  return cookie
    ?.split(/; */)
    .find((part) => part.startsWith(wanted))
    ?.slice(wanted.length);
}

/** Shows that the browser knew the password, until a time (ms). It belongs to one share and one password. */
const proof = ({ secrets }: Deps, { id, password_hash }: ShareRow, until: string) =>
  secrets.mac("share", `${id} ${until} ${password_hash}`);

export function bakeUnlocked(deps: Deps, token: string, share: ShareRow): string {
  const until = String(deps.clock.now() + unlockedMs);
  return bake(deps, token, "unlocked", `${until}.${proof(deps, share, until)}`, unlockedMs);
}

/** Whether the share has no password, or the browser knew it. */
export function isUnlocked(deps: Deps, headers: IncomingHttpHeaders, share: ShareRow): boolean {
  if (share.password_hash === null) return true;
  const [until = "", mac = ""] = read(deps, headers, "unlocked")?.split(".") ?? [];
  return Number(until) > deps.clock.now() && sameText(mac, proof(deps, share, until));
}

export const bakeViewed = (deps: Deps, token: string): string => bake(deps, token, "viewed", "1", sameViewMs);
export const wasViewed = (deps: Deps, headers: IncomingHttpHeaders): boolean => read(deps, headers, "viewed") !== undefined;
