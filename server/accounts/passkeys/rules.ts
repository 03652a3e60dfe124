/** The name under which browsers keep the passkeys of this server, and the only origin whose answers are accepted. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** How long a challenge can be answered. */
export const challengeMs = 5 * 60_000;

/** The maximum number of passkeys of an account. */
export const mostPasskeys = 20;

/** By the public address of the server. Undefined where browsers have no passkeys: at an IP address, and without HTTPS except on `localhost`. */
export function relyingParty(baseUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return isAddress || (protocol !== "https:" && !isLocal) ? undefined : { id: hostname, origin };
}
