import type { Mutant } from "../mutant.ts";

/**
 * Each of these tests would reach this machine only, were it not for the guard: literal addresses are looked at, not
 * connected to, and names lead to loopback.
 */
const addresses = "server/lib/addresses.ts";
const guard = "server/outbound/guard.ts";
const connector = "server/outbound/connector.ts";
const outbound = "server/outbound/index.ts";
const exchange = "server/outbound/exchange.ts";

const literals: readonly Omit<Mutant, "test" | "only">[] = [
  ...[
    ['"0.0.0.0/8": "unspecified",', "unspecified"],
    ['"10.0.0.0/8": "private",', "10/8"],
    ['"100.64.0.0/10": "carrier-grade NAT",', "carriers"],
    ['"127.0.0.0/8": "loopback",', "loopback"],
    ['"169.254.0.0/16": "link-local",', "link-local"],
    ['"172.16.0.0/12": "private",', "172.16/12"],
    ['"192.0.0.0/24": "reserved",', "192.0.0/24"],
    ['"192.0.2.0/24": "documentation",', "192.0.2/24"],
    ['"192.88.99.0/24": "6to4 relay",', "6to4 relays"],
    ['"192.168.0.0/16": "private",', "192.168/16"],
    ['"198.18.0.0/15": "benchmarking",', "benchmarking"],
    ['"198.51.100.0/24": "documentation",', "198.51.100/24"],
    ['"203.0.113.0/24": "documentation",', "203.0.113/24"],
    ['"224.0.0.0/4": "multicast",', "multicast"],
    ['"240.0.0.0/4": "reserved",', "class E"],
    ['"2001::/23": "reserved or a tunnel",', "Teredo"],
    ['"2001:db8::/32": "documentation",', "2001:db8::/32"],
    ['"2002::/16": "6to4, which hides an IPv4 address",', "6to4"],
    ['"3fff::/20": "documentation",', "3fff::/20"],
  ].map(([block, name]) => ({ rule: `no address of ${name}`, edits: [[addresses, block!, ""]] as const })),
  {
    rule: "nothing outside the global unicast space",
    edits: [[addresses, 'return nameIn(namedV6, address) ?? "not a public address";', "return nameIn(namedV6, address);"]],
  },
  {
    rule: "an IPv4 address within IPv6 is an IPv4 address",
    edits: [[addresses, "isWithin(address, mappedV4) ? address.subarray(12) : address", "address"]],
  },
  { rule: "a block's length counts to the bit", edits: [[addresses, "const rest = bits & 7;", "const rest = 0;"]] },
  { rule: "only https", edits: [[guard, 'if (protocol !== "https:") throw', 'if (protocol === "ftp:") throw']] },
  {
    rule: "plain http on a sandbox only",
    edits: [
      [guard, '!(url.protocol === "http:" && allowLoopback)', 'url.protocol !== "http:"'],
      [guard, 'if (protocol !== "https:") throw', 'if (protocol === "ftp:") throw'],
    ],
  },
  { rule: "no user name in the address", edits: [[guard, 'url.username !== "" || ', ""]] },
  { rule: "no password in the address", edits: [[guard, ' || url.password !== ""', ""]] },
  { rule: "no fragment in the address", edits: [[guard, 'if (url.hash !== "") throw', 'if (url.hash === "#") throw']] },
  { rule: "no low ports", edits: [[guard, "Number(url.port) < 1024", "Number(url.port) < 22"]] },
  { rule: "no low ports, up to 1023", edits: [[guard, "Number(url.port) < 1024", "Number(url.port) < 1023"]] },
  {
    rule: "what is allowed is one block",
    edits: [[guard, "blocks.some((block) => isWithin(address, block))", "blocks.length > 0"]],
  },
  {
    rule: "what is allowed is https",
    edits: [[guard, 'if (protocol !== "https:") throw', 'if (protocol !== "https:" && blocks.length === 0) throw']],
  },
  { rule: "a sandbox opens loopback only", edits: [[guard, "allowLoopback && isLoopback(address)", "allowLoopback"]] },
];

const connections: readonly Omit<Mutant, "test" | "only">[] = [
  {
    rule: "a name's addresses are checked where they are used",
    edits: [[connector, "      for (const address of addresses) guard.checkAddress(target, address);\n", ""]],
  },
  {
    rule: "each of a name's addresses is checked where it is used",
    edits: [[connector, "for (const address of addresses) guard", "for (const address of addresses.slice(0, 1)) guard"]],
  },
  {
    rule: "the last of a name's addresses is no exception",
    edits: [[connector, "for (const address of addresses) guard", "for (const address of addresses.slice(1)) guard"]],
  },
  {
    rule: "the connection goes to the addresses that were checked",
    edits: [[connector, "return addresses.map((address) =>", "return (await resolve(host)).map((address) =>"]],
  },
  {
    rule: "the peer is looked at once more",
    edits: [[connector, 'guard.checkAddress(target, socket.remoteAddress ?? "nowhere");', ""]],
  },
  {
    rule: "the peer is looked at before anything is sent",
    edits: [[connector, '    socket.once("connect", () => {\n', '    socket.once("data", () => {\n']],
  },
  {
    rule: "a name is checked when the address is given",
    edits: [
      [
        outbound,
        "for (const address of await within<readonly string[]>(checkDeadlineMs, unknown, [])) guard",
        "for (const address of (await within<readonly string[]>(checkDeadlineMs, unknown, [])).slice(9)) guard",
      ],
    ],
  },
  {
    rule: "each of a name's addresses is checked when the address is given",
    edits: [
      [
        outbound,
        "for (const address of await within<readonly string[]>(checkDeadlineMs, unknown, [])) guard",
        "for (const address of (await within<readonly string[]>(checkDeadlineMs, unknown, [])).slice(0, 1)) guard",
      ],
    ],
  },
  {
    rule: "a name that is allowed is that name",
    edits: [[guard, "names.has(host)", "names.size > 0"]],
  },
  {
    rule: "a literal address is checked on the way",
    edits: [
      [outbound, "    guard.checkUrl(url);\n    if (checked", "    if (checked"],
      [connector, 'guard.checkAddress(target, socket.remoteAddress ?? "nowhere");', ""],
    ],
  },
  {
    rule: "redirects are not followed",
    edits: [
      [
        outbound,
        "      if (reply.complete) pool",
        "      const to = reply.headers.location;\n      if (to) return send({ ...wanted, url: String(to) });\n      if (reply.complete) pool",
      ],
    ],
  },
  {
    rule: "what is not kept of an answer is not read",
    edits: [
      [exchange, "          if (size > maxBytes) return;\n", ""],
      [exchange, "          if (size > maxBytes) finish(false);\n", ""],
    ],
  },
];

const onThisMachine = [
  "public when it was checked",
  "addresses .* of this machine",
  "an address of this machine",
  "resolve a name once",
  "differs from the one that was checked",
  "whatever its address",
  "do not follow a redirect",
  "stop reading a reply",
].join("|");

const aimedAt = (only: string) => (row: Omit<Mutant, "test" | "only">) => ({
  ...row,
  rule: `SSRF: ${row.rule}`,
  test: "unit/addresses",
  only,
});

export const ssrfRules: readonly Mutant[] = [
  ...literals.map(aimedAt("^outbound address check ")),
  ...connections.map(aimedAt(`^outbound connections .*(${onThisMachine})`)),
];
