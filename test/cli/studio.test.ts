import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeProcess, playtest, type Ran } from "../helpers/cli.ts";
import { claim, createGame, order, play, registerPlaytester, videoBytes } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { hiddenFields } from "../helpers/portal.ts";
import { startSpecificationServer } from "../helpers/specification-server/index.ts";

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
}

/** Asks by HTTP as given, also with a Host or an Origin that a browser would not let a page set. */
const ask = (url: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: body === undefined ? "GET" : "POST", headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: reply.statusCode!, headers: reply.headers, bytes, text: bytes.toString() });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });

interface Running {
  /** The address that works once. */
  url: string;
  origin: string;
  /** Presses Ctrl-C. */
  stop(): Promise<Ran>;
}

let running: Running | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/** Starts the command and waits until it prints its address. */
async function start(account: { baseUrl: string; key: string }, line = ""): Promise<Running> {
  let process: FakeProcess | undefined;
  let ended: Promise<Ran>;
  const url = await new Promise<string>((resolve, reject) => {
    const onOutput = (text: string, own: FakeProcess) => {
      process = own;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    };
    ended = playtest(["studio", "--no-open", ...line.split(" ").filter(Boolean)], { ...account, onOutput });
    ended.then((ran) => reject(new Error(`ended: ${ran.stderr}`)), reject);
  });
  const stop = async () => {
    process!.signal("SIGINT");
    return ended;
  };
  running = { url, origin: new URL(url).origin, stop };
  return running;
}

/** The cookie that the address is exchanged for. */
async function enter({ url }: Running): Promise<string> {
  const reply = await ask(url);
  expect([reply.status, reply.headers.location]).toEqual([303, "/studio"]);
  return String(reply.headers["set-cookie"]);
}

describe("playtest studio", () => {
  const fixture = eachOwnerFixture();
  const account = () => ({ baseUrl: fixture.server.baseUrl, key: fixture.owner.key });

  it("the address works once, and gives a cookie that scripts and other sites do not get", async () => {
    const studio = await start(account());
    expect((await ask(`${studio.origin}/studio`)).status).toBe(403);
    expect((await ask(`${studio.origin}/?token=guess`)).status).toBe(403);
    const cookie = await enter(studio);
    expect(cookie).toMatch(/^playtest_studio_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const again = await ask(studio.url);
    expect([again.status, again.headers["set-cookie"]]).toEqual([403, undefined]);
    const page = await ask(`${studio.origin}/studio`, { cookie: cookie.split(";")[0]! });
    expect([page.status, page.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(page.headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(page.text).toContain(new URL(fixture.server.baseUrl).host);
    expect(page.text).not.toContain(fixture.owner.key);
    expect((await ask(`${studio.origin}/assets/studio.css`, { cookie: cookie.split(";")[0]! })).status).toBe(200);
  });

  it.each<{ name: string; headers: (origin: string) => Record<string, string>; body?: string }>([
    { name: "another host name (DNS rebinding)", headers: () => ({ host: "evil.example" }) },
    { name: "localhost, which other programs may answer", headers: (origin) => ({ host: `localhost:${new URL(origin).port}` }) },
    { name: "a form of another site", headers: () => ({ origin: "https://evil.example" }), body: "csrf=x" },
    { name: "a form of another port", headers: () => ({ origin: "http://127.0.0.1:1" }), body: "csrf=x" },
    {
      name: "an image on a page of another port",
      headers: () => ({ "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }),
    },
    { name: "a form of an unknown site", headers: () => ({ origin: "null", "sec-fetch-site": "cross-site" }), body: "csrf=x" },
  ])("refuses $name, even with the cookie", async ({ headers, body }) => {
    const studio = await start(account());
    const cookie = (await enter(studio)).split(";")[0]!;
    const reply = await ask(`${studio.origin}/studio`, { cookie, ...headers(studio.origin) }, body);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("Nothing was done.")]);
  });

  it("a form takes effect, and only with the token of the page", async () => {
    const { owner, server } = fixture;
    const ann = await registerPlaytester(server, "Ann");
    const slot = await claim(ann, await order(owner, await createGame(owner)));
    await ann.post(`/playtester/slots/${slot}/report`, { reasonCode: "crash" });
    const studio = await start(account());
    const cookie = (await enter(studio)).split(";")[0]!;
    const path = `/studio/slots/${slot}/problem`;
    const post = (fields: Record<string, string>) =>
      ask(
        studio.origin + path,
        { cookie, origin: studio.origin, "content-type": "application/x-www-form-urlencoded" },
        new URLSearchParams(fields).toString(),
      );
    expect((await post({ message: "Fixed." })).status).toBe(403);
    const fields = hiddenFields((await ask(studio.origin + path, { cookie })).text, path);
    const done = await post({ ...fields, message: "Fixed." });
    expect([done.status, done.headers.location]).toEqual([303, `${path}?done=answered`]);
    expect((await owner.get(`/slots/${slot}`)).body.data.slot.status).toBe("reserved");
  });

  it("passes videos on, in parts too, and never the key", async () => {
    const { owner, server } = fixture;
    const slot = await play(server, await registerPlaytester(server), await order(owner, await createGame(owner)));
    const studio = await start(account());
    const cookie = (await enter(studio)).split(";")[0]!;
    const reply = await ask(`${studio.origin}/studio/slots/${slot}/video`, { cookie, range: "bytes=4-11" });
    expect([reply.status, reply.headers["content-range"]]).toEqual([206, "bytes 4-11/4096"]);
    expect(reply.bytes).toEqual(videoBytes().subarray(4, 12));
    expect(reply.headers["content-security-policy"]).toBe("sandbox; default-src 'none'");
    const beyond = await ask(`${studio.origin}/studio/slots/${slot}/video`, { cookie, range: "bytes=9000-" });
    expect(beyond.status).toBe(416);
    expect((await ask(`${studio.origin}/studio/slots/${slot}/captions`, { cookie })).status).toBe(404);
  });

  it("Ctrl-C stops it, with exit code 0", async () => {
    const studio = await start(account());
    const { code, stderr } = await studio.stop();
    expect([code, stderr]).toEqual([0, expect.stringContaining("Press Ctrl-C to stop.")]);
    await expect(ask(`${studio.origin}/studio`)).rejects.toThrow("ECONNREFUSED");
    running = undefined;
  });

  it("is for owners: a playtester's key is refused", async () => {
    const { key } = await registerPlaytester(fixture.server);
    const ran = await playtest(["studio", "--no-open"], { baseUrl: fixture.server.baseUrl, key });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("Studio is for game owners")]);
  });
});

it("playtest studio on a server made from the specification alone: every page says what it can", async () => {
  const server = await startSpecificationServer();
  const studio = await start({ baseUrl: server.baseUrl, key: server.key });
  const cookie = (await enter(studio)).split(";")[0]!;
  const get = (path: string) => ask(studio.origin + path, { cookie });
  const inbox = await get("/studio");
  expect([inbox.status, inbox.text]).toEqual([200, expect.stringContaining("This server does not say which applications")]);
  expect((await get("/studio/games")).status).toBe(200);
  expect((await get("/studio/messages")).status).toBe(200);
  expect((await get("/studio/events")).status).toBe(204);
  await studio.stop();
  running = undefined;
  await server.close();
});
