import { createHash } from "node:crypto";
import type { Toolset } from "../../src/contract/text/toolsets.ts";

/** The rules of connecting a client by OAuth 2.1: what it may ask for, where the browser may return to, and how long things work. */

/** What a client can be allowed over HTTP: `build` reads files of its own computer, so only `playtest mcp` has it. */
export const grantable = ["read", "order", "review"] as const satisfies readonly Toolset[];
export type Grantable = (typeof grantable)[number];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** How long a client's request waits for its owner, who may have to register first. */
export const requestMs = 60 * minuteMs;
/** How long an authorization code works. */
export const codeMs = minuteMs;
export const accessMs = 60 * minuteMs;
/** How long a connection lasts that is not used. */
export const refreshMs = 30 * dayMs;
/** For how long an owner can connect a client, in days. */
export const connectedDays = [30, 90, 365] as const;

export const accessPrefix = "pt_at_";
export const refreshPrefix = "pt_rt_";

/** The toolsets of a `scope` parameter, in their order, and always `read`. Those that are not offered are left out. */
export function toolsetsIn(scope: string | undefined): Grantable[] {
  const asked = new Set((scope ?? "").split(" "));
  return grantable.filter((toolset) => toolset === "read" || asked.has(toolset));
}

/** Whether it is a SHA-256 in base64url. */
export const isChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Whether a client knows the secret whose hash it sent before (RFC 7636, S256). */
export const provesChallenge = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) && createHash("sha256").update(verifier).digest("base64url") === challenge;

const maxRedirect = 500;
/** Schemes of browsers and of the web, which belong to no program of their own. */
const foreign =
  /^(javascript|data|vbscript|file|filesystem|blob|about|ftp|wss?|mailto|tel|sms|view-source|chrome|edge|resource|intent):$/;
const loopback = ["localhost", "127.0.0.1", "[::1]"];

const isLoopback = ({ protocol, hostname }: URL) => protocol === "http:" && loopback.includes(hostname);

/**
 * Whether the browser may return to an address: one of HTTPS, of this computer, or of a scheme that a program registered. It has no
 * fragment, no credentials and nothing that browsers read in another way.
 */
export function isRedirect(text: string): boolean {
  if (text.length > maxRedirect || !/^[a-z][a-z0-9+.-]*:\/[!-~]*$/i.test(text) || /[#\\<>"]/.test(text)) return false;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "http:") return isLoopback(url);
  return url.protocol === "https:" || !foreign.test(url.protocol);
}

/** Whether an address is one of those that a client registered. On this computer the port may differ: it is chosen when the client starts. */
export const isRegistered = (registered: readonly string[], given: string): boolean =>
  registered.some((one) => one === given || (isRedirect(given) && isSameLoopback(one, given)));

function isSameLoopback(registered: string, given: string): boolean {
  const [one, other] = [new URL(registered), new URL(given)];
  if (!isLoopback(one) || !isLoopback(other)) return false;
  return one.hostname === other.hostname && one.pathname === other.pathname && one.search === other.search;
}

/** Whether a client's id is the address of its document (Client ID Metadata Documents): HTTPS with a path, written in its only form. */
export function isDocumentId(id: string): boolean {
  if (id.length > maxRedirect || !id.startsWith("https://") || !URL.canParse(id)) return false;
  const url = new URL(id);
  return url.href === id && url.pathname !== "/" && url.hash === "" && url.username === "" && url.password === "";
}

/** The host whose document a client's id is. Null for a client that registered itself, of which nothing is proven. */
export const documentHost = (clientId: string): string | null => (isDocumentId(clientId) ? new URL(clientId).host : null);

const maxName = 100;

/** A client's name for people: one line without characters that cannot be seen or that turn the direction of text. */
export const cleanName = (name: string): string => [...name.replace(/[\p{C}\p{Z}]+/gu, " ").trim()].slice(0, maxName).join("");

/** The address that the browser returns to, with what was decided. */
export function returnTo(redirectUri: string, parameters: Record<string, string | null>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}
