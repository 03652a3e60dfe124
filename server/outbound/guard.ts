import { isAddress, parseRange } from "../../src/contract/text/addresses.ts";
import { createRangeTest, isLoopback, refusal } from "../lib/addresses.ts";

/** The server refuses to connect to an address. The message gives the reason to the user who entered it. */
export class AddressRefused extends Error {
  override name = "AddressRefused";
}

export interface GuardOptions {
  /** Private CIDR blocks, addresses and host names that are allowed: the setting `webhooks.allowPrivate`. */
  allowPrivate: readonly string[];
  /** Allow loopback addresses, also over plain http. For sandboxes. */
  allowLoopback: boolean;
}

export interface Guard {
  /** Checks the scheme, port and other parts of a URL, and the host if it is an IP address in any notation. */
  checkUrl(url: URL): void;
  /** Checks one address to which the URL's host resolves. */
  checkAddress(target: Target, address: string): void;
}

export interface Target {
  protocol: string;
  /** A name, or an address without brackets. */
  host: string;
}

/** `new URL` has already normalized `0x7f.1`, `2130706433` or full-width digits to `127.0.0.1`. */
export const targetOf = (url: URL): Target => ({
  protocol: url.protocol,
  host: url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, ""),
});

const likelyPorts = ["", "443", "8443"];

const notPublic = (host: string, why = "does not have a public address") =>
  new AddressRefused(
    `${host} ${why}. The server connects only to public addresses. Its operator can allow this one with the setting webhooks.allowPrivate.`,
  );

export function createGuard({ allowPrivate, allowLoopback }: GuardOptions): Guard {
  const isAllowed = createRangeTest(allowPrivate.map(parseRange).filter((range) => range !== undefined));
  const names = new Set(allowPrivate.filter((entry) => !parseRange(entry)).map((entry) => entry.toLowerCase()));

  function checkAddress({ protocol, host }: Target, address: string): void {
    if (!isAddress(address)) throw new AddressRefused(`${address} is not an IP address that the server can check.`);
    if (allowLoopback && isLoopback(address)) return;
    if (protocol !== "https:") throw new AddressRefused("Only https URLs are allowed.");
    const reason = refusal(address);
    if (reason === undefined || names.has(host) || isAllowed(address)) return;
    // What a name stands for in the server's network is nobody else's business.
    throw notPublic(host, host === address ? `is ${reason}` : undefined);
  }

  return {
    checkAddress,
    checkUrl(url) {
      const target = targetOf(url);
      if (url.protocol !== "https:" && !(url.protocol === "http:" && allowLoopback))
        throw new AddressRefused("Only https URLs are allowed.");
      if (url.username !== "" || url.password !== "")
        throw new AddressRefused("The URL must not contain a user name or password.");
      if (url.hash !== "") throw new AddressRefused("The URL must not have a fragment (#…).");
      // By RFC 6761 these are this machine, whatever a name server says.
      if (/(^|\.)localhost$/.test(target.host) && !allowLoopback && !names.has(target.host)) throw notPublic(target.host);
      if (isAddress(target.host)) checkAddress(target, target.host);
      if (url.protocol === "https:" && !likelyPorts.includes(url.port) && Number(url.port) < 1024)
        throw new AddressRefused(`Port ${url.port} is not allowed. Use 443, 8443 or a port above 1023.`);
    },
  };
}
