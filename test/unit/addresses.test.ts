import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createConnector } from "../../server/outbound/connector.ts";
import { AddressRefused, createGuard, type Guard, type GuardOptions } from "../../server/outbound/guard.ts";
import { createOutbound, type Outbound } from "../../server/outbound/index.ts";
import type { Resolve } from "../../server/outbound/types.ts";
import { parseRange } from "../../src/contract/text/addresses.ts";

const strict: GuardOptions = { allowPrivate: [], allowLoopback: false };
const check = (url: string, options = strict) => createGuard(options).checkUrl(new URL(url));

/** Addresses that must never be reached, also in spellings that hide what they are. */
const refused: [spelling: string, reason: RegExp][] = [
  ["127.0.0.1", /loopback/],
  ["127.255.255.254", /loopback/],
  ["127.1", /loopback/],
  ["127.0.1", /loopback/],
  ["2130706433", /loopback/],
  ["0x7f000001", /loopback/],
  ["0x7f.1", /loopback/],
  ["0X7F.0x0.0.0x1", /loopback/],
  ["017700000001", /loopback/],
  ["0177.0.0.1", /loopback/],
  ["127.0.0.1.", /loopback/],
  ["１２７.０.０.１", /loopback/],
  ["127。0。0。1", /loopback/],
  ["%31%32%37.0.0.1", /loopback/],
  ["①②⑦.0.0.1", /loopback/],
  ["0", /unspecified/],
  ["0.0.0.0", /unspecified/],
  ["0.1.2.3", /unspecified/],
  ["10.0.0.1", /private/],
  ["10.255.255.255", /private/],
  ["0xa.0.0.1", /private/],
  ["172.16.0.1", /private/],
  ["172.31.255.255", /private/],
  ["192.168.1.1", /private/],
  ["3232235777", /private/],
  ["169.254.169.254", /link-local/],
  ["0xa9fea9fe", /link-local/],
  ["100.64.0.1", /carrier/],
  ["100.127.255.255", /carrier/],
  ["192.0.0.8", /reserved/],
  ["192.0.2.1", /documentation/],
  ["192.88.99.1", /6to4/],
  ["198.18.0.1", /benchmarking/],
  ["198.19.255.255", /benchmarking/],
  ["198.51.100.7", /documentation/],
  ["203.0.113.9", /documentation/],
  ["224.0.0.1", /multicast/],
  ["239.255.255.255", /multicast/],
  ["240.0.0.1", /reserved/],
  ["255.255.255.255", /reserved/],
  ["[::1]", /loopback/],
  ["[0:0:0:0:0:0:0:1]", /loopback/],
  ["[::]", /unspecified/],
  ["[::ffff:127.0.0.1]", /loopback/],
  ["[::ffff:7f00:1]", /loopback/],
  ["[::ffff:10.0.0.1]", /private/],
  ["[::ffff:169.254.169.254]", /link-local/],
  ["[::127.0.0.1]", /not a public/],
  ["[::ffff:0:127.0.0.1]", /not a public/],
  ["[64:ff9b::7f00:1]", /NAT64/],
  ["[64:ff9b::8.8.8.8]", /NAT64/],
  ["[64:ff9b:1::1]", /NAT64/],
  ["[2002:7f00:1::]", /6to4/],
  ["[2002:a00:1::1]", /6to4/],
  ["[2001::1]", /tunnel/],
  ["[2001:0:4136:e378:8000:63bf:80ff:fffe]", /tunnel/],
  ["[::7f00:1]", /not a public/],
  ["[0000::0001]", /loopback/],
  ["0x7f.1.", /loopback/],
  ["127.0.0.1.nip.io@127.0.0.1", /loopback|user name/],
  ["[2001:10::1]", /reserved/],
  ["[2001:db8::1]", /documentation/],
  ["[3fff::1]", /documentation/],
  ["[100::1]", /not a public/],
  ["[5f00::1]", /not a public/],
  ["[fc00::1]", /private/],
  ["[fd12:3456::1]", /private/],
  ["[fe80::1]", /link-local/],
  ["[fec0::1]", /not a public/],
  ["[ff02::1]", /multicast/],
  ["[4000::1]", /not a public/],
];

const allowed = [
  "8.8.8.8",
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "134744072",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "[2606:4700:4700::1111]",
  "[2a00:1450:4001:81b::200e]",
  "[::ffff:8.8.8.8]",
];

describe("outbound address check", () => {
  it.each(refused)("refuses https://%s/ as %s", (host, reason) => {
    expect(() => check(`https://${host}/`)).toThrow(reason);
  });

  it.each(allowed)("allows https://%s/", (host) => {
    expect(() => check(`https://${host}/`)).not.toThrow();
  });

  it.each([
    ["http://8.8.8.8/", /https/],
    ["ftp://8.8.8.8/", /https/],
    ["https://user@8.8.8.8/", /user name/],
    ["https://:secret@8.8.8.8/", /password/],
    ["https://8.8.8.8/#x", /fragment/],
    ["https://8.8.8.8:22/", /Port 22/],
    ["https://8.8.8.8:25/", /Port 25/],
    ["https://8.8.8.8:1023/", /Port 1023/],
  ])("refuses the URL %s", (url, reason) => expect(() => check(url)).toThrow(reason));

  it.each(["https://8.8.8.8:443/", "https://8.8.8.8:8443/", "https://8.8.8.8:1024/"])("allows the port of %s", (url) =>
    expect(() => check(url)).not.toThrow(),
  );

  it("allows the private addresses in webhooks.allowPrivate and no others", () => {
    const options = { allowPrivate: ["10.1.0.0/16", "fd00:1::/32", "192.168.7.7"], allowLoopback: false };
    for (const host of ["10.1.2.3", "[fd00:1::9]", "192.168.7.7", "[::ffff:10.1.2.3]"])
      expect(() => check(`https://${host}/`, options)).not.toThrow();
    for (const host of ["10.2.0.1", "[fd00:2::9]", "192.168.7.8", "127.0.0.1"])
      expect(() => check(`https://${host}/`, options)).toThrow("webhooks.allowPrivate");
    expect(() => check("http://10.1.2.3/", options)).toThrow(/https/);
  });

  it("allows by ranges of an address's own family, whatever stands behind their length", () => {
    const ranges = (...allowPrivate: string[]) => ({ allowPrivate, allowLoopback: false });
    for (const host of ["10.0.0.1", "[::ffff:10.0.0.1]"])
      expect(() => check(`https://${host}/`, ranges("::/0", "::ffff:10.0.0.0/104"))).toThrow(/private/);
    expect(() => check("https://[fd00::1]/", ranges("0.0.0.0/0"))).toThrow(/private/);
    expect(() => check("https://[fd00::1]/", ranges("::/0"))).not.toThrow();
    expect(() => check("https://10.1.255.9/", ranges("10.1.2.3/16"))).not.toThrow();
    expect(() => check("https://[fd00:1:ff00::9]/", ranges("fd00:1:80ff::7/33"))).not.toThrow();
    expect(() => check("https://[fd00:1:7fff::9]/", ranges("fd00:1:80ff::7/33"))).toThrow(/private/);
  });

  it.each(["10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/+8", "10.0.0.0/0008", "fe80::1%eth0/64", "/8"])(
    "takes %s for a name, not for a range",
    (text) => {
      expect(() => check("https://10.0.0.1/", { allowPrivate: [text], allowLoopback: false })).toThrow(/private/);
      expect(parseRange(text)).toBe(undefined);
    },
  );

  it.each([
    "fe80::1%eth0",
    "::1%lo",
    "2606:4700::1%1",
    "localhost",
    "127.1",
    "0x7f000001",
    "0177.0.0.1",
    "1.2.3.4::",
    "",
    "[::1]",
  ])("refuses %s, to which a name resolved, as no address", (address) => {
    const guard = createGuard({ allowPrivate: ["0.0.0.0/0", "::/0"], allowLoopback: true });
    const target = { protocol: "https:", host: "name.example.com" };
    expect(() => guard.checkAddress(target, address)).toThrow("is not an IP address that the server can check");
  });

  it.each(["https://localhost/", "https://a.localhost/", "https://LOCALHOST./", "https://a.b.localhost.:8443/"])(
    "refuses the name of this machine: %s",
    (url) => {
      expect(() => check(url, strict)).toThrow("localhost does not have a public address");
      expect(() => check(url, { allowPrivate: [], allowLoopback: true })).not.toThrow();
    },
  );

  it("allows a name of this machine that the operator allows", () => {
    expect(() => check("https://ci.localhost/", { allowPrivate: ["ci.localhost"], allowLoopback: false })).not.toThrow();
  });

  it("on a sandbox, allows http to loopback addresses and no other private address", () => {
    const sandbox = { allowPrivate: [], allowLoopback: true };
    for (const url of ["http://127.0.0.1:3000/", "http://[::1]:80/", "https://127.0.0.1/", "http://localhost:3000/"])
      expect(() => check(url, sandbox)).not.toThrow();
    for (const url of ["http://10.0.0.1/", "https://10.0.0.1/", "http://8.8.8.8/"]) expect(() => check(url, sandbox)).toThrow();
    expect(() => check("http://10.0.0.1/", { ...sandbox, allowPrivate: ["10.0.0.0/8"] })).toThrow(/https/);
  });
});

describe("outbound connections", () => {
  let reached = 0;
  let port = 0;
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    reached++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));
  });
  const outbounds: Outbound[] = [];

  beforeEach(async () => {
    reached = 0;
    // Every address of this machine, of both families.
    await new Promise<void>((resolve) => listener.listen(0, "::", resolve));
    port = (listener.address() as AddressInfo).port;
  });
  afterEach(async () => {
    for (const outbound of outbounds.splice(0)) outbound.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => listener.close(resolve));
  });

  const outboundWith = (resolve: Resolve | undefined, options = strict) => {
    const outbound = createOutbound({ ...options, resolve });
    outbounds.push(outbound);
    return outbound;
  };
  const post = (outbound: Outbound, url: string) =>
    outbound.request({ url, method: "POST", headers: {}, body: "{}", deadlineMs: 2000, maxBytes: 1024 });

  it.each(["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "localhost"])(
    "reach %s when the guard allows it (so the tests below prove something)",
    async (host) => {
      const outbound = outboundWith(undefined, { allowPrivate: ["0.0.0.0/8", "::/128"], allowLoopback: true });
      // The listener speaks no TLS; that it was reached is enough.
      await expect(post(outbound, `https://${host}:${port}/`)).rejects.toThrow();
      expect(reached).toBe(1);
    },
  );

  it.each(["localhost", "LOCALHOST", "LocalHost"])("are refused to %s, which the system's own resolver knows", async (host) => {
    const outbound = outboundWith(undefined);
    await expect(outbound.check(`https://${host}:${port}/`)).rejects.toThrow("does not have a public address");
    await expect(post(outbound, `https://${host}:${port}/`)).rejects.toThrow("does not have a public address");
    expect(reached).toBe(0);
  });

  it.each(["[fe80::1%25eth0]", "[::1%lo]", "127.0.0.1%00.example.com", "127.0.0.256", "0x7f.0.0.0.1"])(
    "are refused to %s, which is not a valid host",
    async (host) => {
      await expect(post(outboundWith(undefined), `https://${host}:${port}/`)).rejects.toThrow("Invalid URL");
      expect(reached).toBe(0);
    },
  );

  it("do not follow a redirect", async () => {
    const redirecting = createServer((socket) => {
      socket.on("error", () => {});
      const head = `HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:${port}/\r\nContent-Length: 0\r\n\r\n`;
      socket.on("data", () => socket.write(head));
    });
    await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
    const outbound = outboundWith(undefined, { allowPrivate: [], allowLoopback: true });
    const from = (redirecting.address() as AddressInfo).port;
    expect(await post(outbound, `http://127.0.0.1:${from}/`)).toMatchObject({ status: 307 });
    expect(reached).toBe(0);
    outbound.close();
    await new Promise((resolve) => redirecting.close(resolve));
  });

  it("send nothing to a peer whose address differs from the one that was checked", async () => {
    let looks = 0;
    const guard = createGuard({ allowPrivate: [], allowLoopback: true });
    const wary: Guard = {
      ...guard,
      checkAddress(target, address) {
        if (looks++ > 0) throw new AddressRefused(`${address} is not who was checked`);
        guard.checkAddress(target, address);
      },
    };
    const connect = createConnector(wary, async () => ["127.0.0.1"]);
    const heard: Buffer[] = [];
    listener.once("connection", (socket) => socket.on("data", (chunk) => heard.push(chunk)));
    for (const protocol of ["http:", "https:"]) {
      looks = 0;
      const outcome = await new Promise((resolve) =>
        connect({ protocol, hostname: "name.example.com", port: String(port) }, (error, socket) => resolve(error ?? socket)),
      );
      expect(outcome).toBeInstanceOf(AddressRefused);
      expect(looks).toBe(2);
    }
    expect(Buffer.concat(heard).toString()).toBe("");
  });

  it.each<[string, (socket: Socket) => void]>([
    ["sends nothing", () => {}],
    [
      "sends a TLS record byte by byte",
      (socket) => {
        socket.write(Buffer.from([22, 3, 3, 64, 0]));
        const timer = setInterval(() => socket.write("x"), 10);
        socket.on("close", () => clearInterval(timer));
      },
    ],
  ])(
    "are closed at the deadline when a TLS receiver %s",
    async (_, behave) => {
      let left = () => {};
      const gone = new Promise<void>((resolve) => {
        left = resolve;
      });
      const silent = createServer((socket) => {
        socket.on("error", () => {});
        socket.on("close", left);
        socket.resume();
        behave(socket);
      });
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const outbound = outboundWith(undefined, { allowPrivate: [], allowLoopback: true });
      const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      const request = outbound.request({ url, method: "POST", headers: {}, body: "{}", deadlineMs: 150, maxBytes: 1024 });
      await expect(request).rejects.toThrow("no response within 150 ms");
      await gone;
      await new Promise((resolve) => silent.close(resolve));
    },
    5_000,
  );

  it("ignore proxies set in the environment", async () => {
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"];
    for (const name of names) vi.stubEnv(name, `http://127.0.0.1:${port}`);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    await expect(
      post(
        outboundWith(async () => []),
        "https://hooks.example.com/",
      ),
    ).rejects.toThrow("no address");
    expect(reached).toBe(0);
    vi.unstubAllEnvs();
  });

  it.each(refused)("are refused to https://%s/", async (host) => {
    const outbound = outboundWith(async () => []);
    await expect(post(outbound, `https://${host}:${port}/`)).rejects.toThrow();
    await expect(outbound.check(`https://${host}:${port}/`)).rejects.toThrow();
    expect(reached).toBe(0);
  });

  it("are refused to a name that was public when it was checked and is private when it is used", async () => {
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    const outbound = outboundWith(async () => answers.shift() ?? []);
    const url = `https://rebind.example.com:${port}/`;
    await outbound.check(url);
    await expect(post(outbound, url)).rejects.toThrow("rebind.example.com does not have a public address. The server connects");
    expect(reached).toBe(0);
  });

  it.each([
    ["the second is private", ["93.184.216.34", "127.0.0.1"]],
    ["the first is private", ["127.0.0.1", "93.184.216.34"]],
    ["one hides an IPv4 address", ["93.184.216.34", "::ffff:127.0.0.1"]],
    ["one is no address", ["93.184.216.34", "localhost"]],
  ])("are refused to a name with two addresses when %s", async (_, addresses) => {
    const outbound = outboundWith(async () => addresses);
    await expect(outbound.check(`https://two.example.com:${port}/`)).rejects.toThrow();
    await expect(post(outbound, `https://two.example.com:${port}/`)).rejects.toThrow();
    expect(reached).toBe(0);
  });

  // All on this machine, so that a broken guard is seen by the listener and by nobody else.
  it.each(["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])(
    "are refused to %s, an address of this machine",
    async (host) => {
      await expect(post(outboundWith(undefined), `https://${host}:${port}/`)).rejects.toThrow(/loopback|unspecified/);
      expect(reached).toBe(0);
    },
  );

  it.each([
    ["127.0.0.1", "127.0.0.2"],
    ["127.0.0.2", "127.0.0.1"],
  ])(
    "are refused to a name with the addresses %s and %s of this machine, when only one of them is allowed",
    async (...addresses) => {
      const outbound = outboundWith(async () => addresses, { allowPrivate: ["127.0.0.1"], allowLoopback: false });
      const url = `https://two.example.com:${port}/`;
      await expect(outbound.check(url)).rejects.toThrow("two.example.com does not have a public address");
      await expect(post(outbound, url)).rejects.toThrow("two.example.com does not have a public address");
      expect(reached).toBe(0);
    },
  );

  it("stop reading a reply at the maximum size", async () => {
    const size = 64 * 2 ** 20;
    const block = Buffer.alloc(2 ** 16);
    let written = 0;
    const large = createServer((socket) => {
      const more = () => {
        for (let room = true; room && written < size; written += block.length) room = socket.write(block);
      };
      socket.on("error", () => {});
      socket.on("drain", more);
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        more();
      });
    });
    await new Promise<void>((resolve) => large.listen(0, "127.0.0.1", resolve));
    const outbound = outboundWith(undefined, { allowPrivate: [], allowLoopback: true });
    const { body, complete } = await post(outbound, `http://127.0.0.1:${(large.address() as AddressInfo).port}/`);
    expect([body.length, complete]).toEqual([1024, false]);
    await new Promise((resolve) => large.close(resolve));
    expect(written).toBeLessThan(size / 2);
  });

  it("resolve a name once and connect to the address that was checked", async () => {
    let asked = 0;
    const resolve: Resolve = async () => (asked++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]);
    const reply = await post(
      outboundWith(resolve, { allowPrivate: [], allowLoopback: true }),
      `http://once.example.com:${port}/`,
    );
    expect([reply.status, reply.body.toString(), asked, reached]).toEqual([200, "ok", 1, 1]);
  });

  it("use plain http only for a name with a loopback address", async () => {
    const sandbox = { allowPrivate: [], allowLoopback: true };
    await expect(
      post(
        outboundWith(async () => ["93.184.216.34"], sandbox),
        `http://name.example.com:${port}/`,
      ),
    ).rejects.toThrow("https");
  });

  it("are allowed to a name in webhooks.allowPrivate, whatever its address", async () => {
    const outbound = outboundWith(async () => ["127.0.0.1"], { allowPrivate: ["ci.internal"], allowLoopback: false });
    await outbound.check("https://ci.internal/");
    await expect(outbound.check("https://other.internal/")).rejects.toThrow("does not have a public address");
  });

  it("to a name that does not resolve pass the check and fail when used", async () => {
    const outbound = outboundWith(async () => Promise.reject(new Error("ENOTFOUND")));
    await outbound.check("https://later.example.com/");
    await expect(post(outbound, "https://later.example.com/")).rejects.toThrow("ENOTFOUND");
  });
});
