/** Decides which addresses the server may connect to for users: public ones, and those that the operator allows. */

interface Block {
  bytes: Uint8Array;
  bits: number;
}

/** An IPv4 address as 4 bytes, an IPv6 address as 16; undefined for anything else, zones included. */
export function parseAddress(text: string): Uint8Array | undefined {
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) return undefined;
  return Uint8Array.from(parts, Number);
}

function parseV6(text: string): Uint8Array | undefined {
  const [head, tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const front = groupsOf(head!);
  const back = tail === undefined ? [] : groupsOf(tail);
  if (!front || !back) return undefined;
  const missing = 8 - front.length - back.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...front, ...new Array<number>(missing).fill(0), ...back];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

/** The 16-bit groups of one side of `::`; its end may be written as an IPv4 address. */
function groupsOf(text: string): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const v4 = index === parts.length - 1 && part.includes(".") ? parseV4(part) : undefined;
    if (v4) groups.push((v4[0]! << 8) | v4[1]!, (v4[2]! << 8) | v4[3]!);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** `10.1.0.0/16`, `fd00::/8` or a single address; undefined for anything else. */
export function parseBlock(text: string): Block | undefined {
  const [address, length, ...more] = text.split("/");
  const bytes = parseAddress(address!);
  if (!bytes || more.length > 0) return undefined;
  const bits = length === undefined ? bytes.length * 8 : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits <= bytes.length * 8 ? { bytes, bits } : undefined;
}

export function isWithin(address: Uint8Array, { bytes, bits }: Block): boolean {
  if (address.length !== bytes.length) return false;
  const whole = bits >> 3;
  for (let at = 0; at < whole; at++) if (address[at] !== bytes[at]) return false;
  const rest = bits & 7;
  return rest === 0 || (address[whole]! ^ bytes[whole]!) >> (8 - rest) === 0;
}

const blocks = (table: Record<string, string>) => Object.entries(table).map(([block, name]) => ({ name, ...parseBlock(block)! }));

const refusedV4 = blocks({
  "0.0.0.0/8": "unspecified",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "carrier-grade NAT",
  "127.0.0.0/8": "loopback",
  "169.254.0.0/16": "link-local",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "reserved",
  "192.0.2.0/24": "documentation",
  "192.88.99.0/24": "6to4 relay",
  "192.168.0.0/16": "private",
  "198.18.0.0/15": "benchmarking",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "reserved",
});

/** Refused blocks within the global unicast space. Everything outside of that space is refused. */
const refusedV6 = blocks({
  "2001::/23": "reserved or a tunnel",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4, which hides an IPv4 address",
  "3fff::/20": "documentation",
});

const namedV6 = blocks({
  "::1/128": "loopback",
  "::/128": "unspecified",
  "64:ff9b::/96": "NAT64, which hides an IPv4 address",
  "64:ff9b:1::/48": "NAT64, which hides an IPv4 address",
  "fc00::/7": "private",
  "fe80::/10": "link-local",
  "ff00::/8": "multicast",
});

const globalUnicast = parseBlock("2000::/3")!;
const mappedV4 = parseBlock("::ffff:0:0/96")!;

/** An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is the IPv4 address. */
export const unmapped = (address: Uint8Array) => (isWithin(address, mappedV4) ? address.subarray(12) : address);

const nameIn = (table: readonly (Block & { name: string })[], address: Uint8Array) =>
  table.find((block) => isWithin(address, block))?.name;

/** Why the server must not connect there (`loopback`, `private`, …), or undefined for a public address. */
export function refusal(given: Uint8Array): string | undefined {
  const address = unmapped(given);
  if (address.length === 4) return nameIn(refusedV4, address);
  if (isWithin(address, globalUnicast)) return nameIn(refusedV6, address);
  return nameIn(namedV6, address) ?? "not a public address";
}

export const isLoopback = (address: Uint8Array) => refusal(address) === "loopback";
