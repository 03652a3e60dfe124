import { isLoopback, isWithin, parseAddress, parseBlock, refusal, unmapped } from "../lib/addresses.ts";

/** The server will not connect there. The message says why, for who gave the address. */
export class AddressRefused extends Error {
  override name = "AddressRefused";
}

export interface GuardOptions {
  /** CIDR blocks, addresses and host names that may be private: the setting `webhooks.allowPrivate`. */
  allowPrivate: readonly string[];
  /** Sandbox: loopback may be reached, also by plain http. */
  allowLoopback: boolean;
}

export interface Guard {
  /** Scheme, port, what a URL must not carry, and the host when it is an address in whatever spelling. */
  checkUrl(url: URL): void;
  /** One address that the URL's host stands for. */
  checkAddress(target: Target, address: string): void;
}

export interface Target {
  protocol: string;
  /** A name, or an address without brackets. */
  host: string;
}

/** `new URL` has turned `0x7f.1`, `2130706433`, full-width digits and the like into `127.0.0.1` by now. */
export const targetOf = (url: URL): Target => ({
  protocol: url.protocol,
  host: url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, ""),
});

const likelyPorts = ["", "443", "8443"];

export function createGuard({ allowPrivate, allowLoopback }: GuardOptions): Guard {
  const blocks = allowPrivate.map(parseBlock).filter((block) => block !== undefined);
  const names = new Set(allowPrivate.filter((entry) => !parseBlock(entry)).map((entry) => entry.toLowerCase()));

  function checkAddress({ protocol, host }: Target, text: string): void {
    const parsed = parseAddress(text);
    if (!parsed) throw new AddressRefused(`${text} is not an IP address that the server can check.`);
    const address = unmapped(parsed);
    if (allowLoopback && isLoopback(address)) return;
    if (protocol !== "https:") throw new AddressRefused("Only https URLs are allowed.");
    const reason = refusal(address);
    if (reason === undefined || names.has(host) || blocks.some((block) => isWithin(address, block))) return;
    const shown = host === text ? text : `${host} resolves to ${text}, which`;
    throw new AddressRefused(
      `${shown} is ${reason}. The server connects only to public addresses. Its operator can allow this one with the setting webhooks.allowPrivate.`,
    );
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
      if (parseAddress(target.host)) checkAddress(target, target.host);
      if (url.protocol === "https:" && !likelyPorts.includes(url.port) && Number(url.port) < 1024)
        throw new AddressRefused(`Port ${url.port} is not allowed. Use 443, 8443 or a port above 1023.`);
    },
  };
}
