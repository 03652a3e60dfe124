import { BlockList, isIP, isIPv6 } from "node:net";

const familyOf = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");

/** Whether a text is an IP address without a zone, which would name an interface of one machine. */
export const isAddress = (text: string) => isIP(text) !== 0 && !text.includes("%");

/** A CIDR block: the addresses whose first `bits` bits are those of `network`. */
export interface Range {
  network: string;
  bits: number;
  family: "ipv4" | "ipv6";
}

/** `10.1.0.0/16`, `fd00::/8` or a single address; undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [network, length, ...more] = text.split("/") as [string, ...string[]];
  if (!isAddress(network) || more.length > 0) return undefined;
  const family = familyOf(network);
  const longest = family === "ipv6" ? 128 : 32;
  if (length === undefined) return { network, bits: longest, family };
  return /^\d{1,3}$/.test(length) && Number(length) <= longest ? { network, bits: Number(length), family } : undefined;
}

export function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const { network, bits, family } of ranges) list.addSubnet(network, bits, family);
  return list;
}

/** The list of ranges that the program itself names. */
export const listOfTexts = (texts: readonly string[]) => listOf(texts.map((text) => parseRange(text)!));

/**
 * Whether an address is in one of the ranges; false for any other text. The zone of an address does not count. An IPv4 address and the
 * same one written as IPv6 (`::ffff:10.0.0.1`) are in the same ranges.
 */
export const isIn = (list: BlockList, address: string) => list.check(address, familyOf(address));
