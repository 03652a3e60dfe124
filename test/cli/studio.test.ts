import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { type FakeProcess, playtest, type Ran, startStudio, testFolder } from "../helpers/cli.ts";
import { claim, createGame, order, play, registerPlaytester, videoBytes } from "../helpers/factories.ts";
import { type HostedWorld, startHostedWorld } from "../helpers/hosted-world.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { hiddenFields } from "../helpers/portal.ts";

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
async function start(account: { baseUrl: string; key: string; env?: Record<string, string> }, line = ""): Promise<Running> {
  const { url, stop } = await startStudio(account, line.split(" ").filter(Boolean));
  running = { url, origin: new URL(url).origin, stop };
  return running;
}

/** The cookie and the folder that the address is exchanged for. */
async function enter({ url, origin }: Running) {
  const reply = await ask(url);
  const [, folder] = /^(\/[\w-]{43})\/studio$/.exec(String(reply.headers.location)) ?? [];
  expect([reply.status, folder]).toEqual([303, expect.any(String)]);
  const set = String(reply.headers["set-cookie"]);
  return { set, cookie: set.split(";")[0]!, folder: folder!, base: origin + folder };
}

describe("playtest studio", () => {
  const fixture = eachOwnerFixture();
  const account = () => ({ baseUrl: fixture.server.baseUrl, key: fixture.owner.key });

  it("the address works once, and gives a cookie that scripts and other sites do not get", async () => {
    const studio = await start(account());
    expect((await ask(`${studio.origin}/studio`)).status).toBe(403);
    expect((await ask(`${studio.origin}/?token=guess`)).status).toBe(403);
    const { set, cookie, folder, base } = await enter(studio);
    expect(set).toMatch(/^playtest_studio_\d+=[\w-]{43}; Path=\/[\w-]{43}; HttpOnly; SameSite=Lax$/);
    expect(set).toContain(`Path=${folder};`);
    const again = await ask(studio.url);
    expect([again.status, again.headers["set-cookie"]]).toEqual([403, undefined]);
    const page = await ask(`${base}/studio`, { cookie });
    expect([page.status, page.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(page.headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(page.text).toContain(new URL(fixture.server.baseUrl).host);
    expect(page.text).not.toContain(fixture.owner.key);
    const style = /href="([^"]*\/assets\/studio\.css\?v=\w+)"/.exec(page.text)![1];
    expect((await ask(studio.origin + style, { cookie })).headers["cache-control"]).toContain("immutable");
  });

  it("answers no request without a host, also of HTTP/1.0", async () => {
    const { url, origin } = await start(account());
    const { port, pathname, search } = new URL(url);
    const status = (head: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(`${head}\r\n\r\n`));
        socket.once("data", (chunk) => resolve(String(chunk).split(" ")[1]!)).once("end", () => socket.end());
      });
    const target = `GET ${pathname}${search}`;
    const heads = [`${target} HTTP/1.0`, `${target} HTTP/1.0\r\nHost:`, `${target} HTTP/1.1\r\nHost:`, `${target} HTTP/1.1`];
    expect(await Promise.all(heads.map((head) => status(`${head}\r\nConnection: close`)))).toEqual(["403", "403", "403", "400"]);
    expect((await ask(`${origin}/${search}`)).status).toBe(303);
  });

  it("starts the browser with a file that only this user can read, and removes it when it was used", async () => {
    const home = testFolder();
    const browser = join(home, "browser");
    const seen = join(home, "seen");
    writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > "${seen}.part"; mv "${seen}.part" "${seen}"\n`, { mode: 0o755 });
    const env = { BROWSER: browser, HOME: home };
    let own: FakeProcess | undefined;
    const onOutput = (_: string, process: FakeProcess) => {
      own = process;
    };
    const ended = playtest(["studio"], { ...account(), env, tty: { stdout: true }, columns: 500, onOutput });
    await expect.poll(() => existsSync(seen)).toBe(true);
    const file = readFileSync(seen, "utf8").trim();
    expect(file).toMatch(/^file:\/\/\/.*\/playtest-open-\w+\/open\.html$/);
    const path = fileURLToPath(file);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    const url = /url=(\S+)"/.exec(readFileSync(path, "utf8"))![1]!;
    expect((await ask(url)).status).toBe(303);
    await expect.poll(() => existsSync(dirname(path))).toBe(false);
    own!.signal("SIGINT");
    expect((await ended).stderr).toContain("If it shows nothing, open it there yourself.");
  });

  it("the folder of the cookie is told to nobody who is not signed in, and every address of a page is in it", async () => {
    const studio = await start(account());
    const { cookie, folder, base } = await enter(studio);
    for (const path of ["/", "/?token=guess", "/studio", "/assets/style.css", `${folder}/studio`, "/x"])
      expect(await ask(studio.origin + path)).toMatchObject({ status: 403, text: expect.not.stringContaining(folder) });
    for (const path of ["/studio", "/assets/studio.css", "/"])
      expect((await ask(studio.origin + path, { cookie })).status).toBe(403);
    const { text } = await ask(`${base}/studio/games`, { cookie });
    const addresses = [...text.matchAll(/(?:href|src|action|poster)="(\/[^"]*)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(5);
    expect(addresses.filter((address) => !address.startsWith(`${folder}/`))).toEqual([]);
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
    const { cookie, base } = await enter(studio);
    const reply = await ask(`${base}/studio`, { cookie, ...headers(studio.origin) }, body);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("Nothing was done.")]);
  });

  interface Opened {
    studio: Running;
    cookie: string;
    folder: string;
  }
  /** A slot with a problem, the address of the form that answers it, and the form's fields. */
  async function problem({ studio: { origin }, cookie, folder }: Opened) {
    const { owner, server } = fixture;
    const ann = await registerPlaytester(server, "Ann");
    const slot = await claim(ann, await order(owner, await createGame(owner)));
    await ann.post(`/playtester/slots/${slot}/report`, { reasonCode: "crash" });
    const path = `${folder}/studio/slots/${slot}/problem`;
    const fields = { ...hiddenFields((await ask(origin + path, { cookie })).text, path), message: "Fixed." };
    const post = (headers: Record<string, string>, sent: Record<string, string> = fields) =>
      ask(
        origin + path,
        { cookie, origin, "content-type": "application/x-www-form-urlencoded", ...headers },
        new URLSearchParams(sent).toString(),
      );
    const status = async () => (await owner.get(`/slots/${slot}`)).body.data.slot.status as string;
    return { path, post, status };
  }

  it.each<{ says: RegExp; headers: Record<string, string> }>([
    { says: /Studio answers only at http:\/\/127\.0\.0\.1:\d+\. Nothing was done\./, headers: { host: "evil.example" } },
    {
      says: /Studio takes no requests from pages of other sites\. Nothing was done\./,
      headers: { origin: "https://evil.example" },
    },
  ])("refuses a form as it says: $says", async ({ says, headers }) => {
    const studio = await start(account());
    const { post, status } = await problem({ studio, ...(await enter(studio)) });
    const refused = await post(headers);
    expect([refused.status, refused.text, await status()]).toEqual([403, expect.stringMatching(says), "blocked"]);
    expect([(await post({})).status, await status()]).toEqual([303, "reserved"]);
  });

  it.each<{ says: string; send(studio: Running): Promise<Answer>; holds(studio: Running, page: () => Promise<Answer>): unknown }>(
    [
      {
        says: "Open the address that playtest studio printed. If it was used already, run the command again.",
        send: ({ origin }) => ask(`${origin}/studio`),
        async holds() {
          const again = await startStudio(account(), []);
          expect((await ask(again.url)).status).toBe(303);
          await again.stop();
        },
      },
      {
        says: "This address was used already, or is not complete. Use the tab where Studio is open, or run playtest studio again for a new address.",
        send: ({ url }) => ask(url),
        async holds({ url, origin }, page) {
          expect((await ask(`${origin}/?token=${new URL(url).searchParams.get("token")!.slice(1)}`)).text).toContain(
            "is not complete",
          );
          expect((await page()).status).toBe(200);
        },
      },
    ],
  )("refuses an address as it says: $says", async ({ says, send, holds }) => {
    const studio = await start(account());
    const { cookie, base } = await enter(studio);
    const reply = await send(studio);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(says)]);
    await holds(studio, () => ask(`${base}/studio`, { cookie }));
  });

  it("“Open this address in a browser.”: a form does not use it up", async () => {
    const studio = await start(account());
    const { origin } = studio;
    const posted = await ask(studio.url, { origin, "content-type": "application/x-www-form-urlencoded" }, "");
    expect([posted.status, posted.text]).toEqual([403, expect.stringContaining("Open this address in a browser.")]);
    const { cookie, base } = await enter(studio);
    expect((await ask(`${base}/studio`, { cookie })).status).toBe(200);
  });

  it("a form takes effect, and only with the token of the page", async () => {
    const studio = await start(account());
    const { path, post, status } = await problem({ studio, ...(await enter(studio)) });
    expect([(await post({}, { message: "Fixed." })).status, await status()]).toEqual([403, "blocked"]);
    const done = await post({});
    expect([done.status, done.headers.location, await status()]).toEqual([303, `${path}?done=answered`, "reserved"]);
  });

  it("passes videos on, in parts too, and never the key", async () => {
    const { owner, server } = fixture;
    const slot = await play(server, await registerPlaytester(server), await order(owner, await createGame(owner)));
    const studio = await start(account());
    const { cookie, base } = await enter(studio);
    const reply = await ask(`${base}/studio/slots/${slot}/video`, { cookie, range: "bytes=4-11" });
    expect([reply.status, reply.headers["content-range"]]).toEqual([206, "bytes 4-11/4096"]);
    expect(reply.bytes).toEqual(videoBytes().subarray(4, 12));
    expect(reply.headers["content-security-policy"]).toBe("sandbox allow-same-origin; default-src 'none'; media-src 'self'");
    const beyond = await ask(`${base}/studio/slots/${slot}/video`, { cookie, range: "bytes=9000-" });
    expect(beyond.status).toBe(416);
    expect((await ask(`${base}/studio/slots/${slot}/captions`, { cookie })).status).toBe(404);
  });

  it("passes posters and still images on", async () => {
    const { owner, server } = fixture;
    const ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];
    server.deps.cutter = createFfmpegCutter({ ...server.deps.config.clips, ffmpeg });
    const slot = await play(server, await registerPlaytester(server), await order(owner, await createGame(owner)));
    const { id } = (await owner.post(`/slots/${slot}/moments`, { atMs: 1000, text: "The door" })).body.data.moment;
    await server.request("PUT", `/moments/${id}/still`, { key: owner.key });
    const { clip } = (await owner.post(`/slots/${slot}/clips`, { atMs: 0, endMs: 1000 })).body.data;
    await server.advance(0);
    const studio = await start(account());
    const { cookie, base, folder } = await enter(studio);
    const { text } = await ask(`${base}/studio/slots/${slot}`, { cookie });
    const path = `/studio/slots/${slot}`;
    const images = [`${path}/poster`, `${path}/stills/${id}`, `${path}/thumbnails/${id}`, `${path}/clips/${clip.id}/thumbnail`];
    const shown = [" poster", " href", " src", " src"].map((name, at) => text.includes(`${name}="${folder}${images[at]}"`));
    expect(shown).toEqual([true, true, true, true]);
    for (const path of images) {
      const image = await ask(base + path, { cookie });
      expect([image.status, image.headers["content-type"]]).toEqual([200, "image/jpeg"]);
    }
    await owner.delete(`/moments/${id}/still`);
    // A job removes the file.
    await expect.poll(async () => (await ask(base + images[1], { cookie })).status).toBe(404);
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
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining("Studio is for game owners")]);
  });
});

it("playtest studio on a server made from the specification alone: every page says what it can", async () => {
  const { hosted, owner } = await startHostedWorld();
  const studio = await start({ baseUrl: hosted.baseUrl, key: owner.key });
  const { cookie, base } = await enter(studio);
  const get = (path: string) => ask(base + path, { cookie });
  const inbox = await get("/studio");
  expect([inbox.status, inbox.text]).toEqual([200, expect.stringContaining("This server does not say which applications")]);
  expect((await get("/studio/games")).status).toBe(200);
  expect((await get("/studio/messages")).status).toBe(200);
  expect((await get("/studio/events")).status).toBe(204);
  expect((await get("/studio/search?q=door")).text).toContain("search");
  expect((await get("/studio/stats")).text).toContain("has no statistics");
});

describe("on such a server, Studio", () => {
  let world: HostedWorld;
  let studio: Running;
  let entered: Awaited<ReturnType<typeof enter>>;
  let env: Record<string, string>;
  beforeEach(async () => {
    world = await startHostedWorld();
    env = { PLAYTEST_CONFIG_DIR: testFolder() };
    studio = await start({ ...account(), env });
    entered = await enter(studio);
  });
  const account = () => ({ baseUrl: world.hosted.baseUrl, key: world.owner.key });
  const get = (path: string, headers = {}) => ask(entered.base + path, { cookie: entered.cookie, ...headers });
  /** Posts the form of a page that goes to `action`. */
  async function submit(page: string, action: string, given: Record<string, string> = {}): Promise<Answer> {
    const fields = { ...hiddenFields((await get(page)).text, entered.folder + action), ...given };
    const headers = {
      cookie: entered.cookie,
      origin: studio.origin,
      "content-type": "application/x-www-form-urlencoded",
    };
    return ask(entered.base + action, headers, new URLSearchParams(fields).toString());
  }
  const slotOf = async (id: string) => (await world.owner.getSlot({ params: { id } })).slot;

  it("plays a video in parts by one link, compares it, and accepts it by a form", async () => {
    const id = await world.submitted();
    const { requestId } = await slotOf(id);
    const page = await get(`/studio/slots/${id}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("This server stores no moments.")]);
    expect(page.text).not.toContain("poster=");
    const asked = () => world.hosted.seen.filter(({ path }) => path.endsWith("/info/server")).length;
    const before = asked();
    await get(`/studio/slots/${id}`);
    expect(asked()).toBe(before);
    const parts = [await get(`/studio/slots/${id}/video`), await get(`/studio/slots/${id}/video`, { range: "bytes=0-3" })];
    expect(parts.map(({ status }) => status)).toEqual([200, 200]);
    expect(world.hosted.seen.filter(({ path }) => path.endsWith("/download-url"))).toHaveLength(1);
    expect(world.hosted.files.keysSeen).toEqual([]);
    expect((await get(`/studio/playtests/${requestId}/compare?slots=${id}`)).text).toContain(`/studio/slots/${id}/video`);
    const accepted = await submit(`/studio/slots/${id}`, `/studio/slots/${id}/accept`, { rating: "5", confirmed: "yes" });
    expect(accepted.status).toBe(303);
    expect(await slotOf(id)).toMatchObject({ status: "accepted", rating: { score: 5 } });
  });

  it("rejects a video, with another try", async () => {
    const id = await world.submitted();
    const path = `/studio/slots/${id}`;
    const name = (await slotOf(id)).playtester!.displayName;
    const asked = await submit(path, `${path}/reject`, { reason: "No sound.", allowRetry: "yes" });
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(`Reject the video of ${name}?`)]);
    const given = { reason: "No sound.", allowRetry: "yes", confirmed: "yes" };
    expect((await submit(path, `${path}/reject`, given)).headers.location).toBe(`${entered.folder}${path}?done=retry`);
    expect(await slotOf(id)).toMatchObject({
      status: "rejected",
      rejection: { reason: "No sound." },
    });
    expect((await get(path)).text).toContain("No sound.");
  });

  it("writes to a playtester, and says beforehand that the server begins no conversations", async () => {
    const { owner } = world;
    const id = await world.submitted();
    const path = `/studio/slots/${id}`;
    await owner.acceptSlot({ params: { id } });
    const { id: contactId, displayName } = (await slotOf(id)).playtester!;
    const unbegun = (await get(path)).text;
    expect(unbegun).toContain(`You can write to ${displayName} after they have written to you.`);
    expect(unbegun).not.toContain(`${path}/message`);
    const listed = (await get("/studio/messages")).text;
    expect([listed.includes("You can write after they have written to you."), listed.includes("Send a message")]).toEqual([
      true,
      false,
    ]);
    const { conversation } = await owner.openConversation({ body: { contactId } });
    expect((await get(`/studio/messages/${conversation.id}`)).text).not.toContain(`Block ${displayName}`);
    expect((await submit(path, `${path}/message`, { content: "Well played!" })).status).toBe(303);
    const { messages } = await owner.listMessages({ params: { id: conversation.id } });
    expect(messages.at(-1)).toMatchObject({ content: "Well played!" });
  });

  it("shows a reported problem as far as the server says what it is, and says that it cannot be answered here", async () => {
    const { slotId: id, person } = await world.claimed();
    await person.reportSlot({ params: { id }, body: { reasonCode: "crash" } });
    const name = (await slotOf(id)).playtester!.displayName;
    const path = `/studio/slots/${id}/problem`;
    expect((await get("/studio")).text).toContain(`/studio/slots/${id}/problem">${name} cannot play Lantern Deep</a>`);
    const { text } = await get(path);
    expect(text).toContain("The playtester reported a problem. This server does not say which.");
    expect(text).toContain("This server does not let Studio return the slot to the playtester or cancel it.");
    expect(text).not.toContain(`action="${entered.folder}${path}`);
  });

  it("keeps moments on this computer, with those of the command", async () => {
    const id = await world.submitted();
    const path = `/studio/slots/${id}`;
    const note = (given: Record<string, string>) => submit(path, `${path}/moments`, { kind: "bug", tags: "door", ...given });
    const commandLists = async () => {
      const ran = await playtest(["review", "notes", id, "--json"], { ...account(), env });
      return JSON.parse(ran.stdout).moments as { id: string; text: string }[];
    };
    const refused = await note({ position: "0:03", text: "Lost", tags: "Not--A Tag" });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('id="tags-fault"')]);
    const once = { ...hiddenFields((await get(path)).text, `${entered.folder}${path}/moments`), position: "0:03", text: "Lost" };
    for (let times = 0; times < 2; times++) expect((await note(once)).headers.location).toMatch(/\?done=noted#moment-/);
    expect(await commandLists()).toMatchObject([{ atMs: 3000, text: "Lost", kind: "bug", tags: ["door"] }]);
    const given = { ...account(), env };
    expect((await playtest(["review", "note", id, "0:01", "Falls"], given)).code).toBe(0);
    const shown = (await get(path)).text;
    expect([...shown.matchAll(/<p class="prose">([^<]*)<\/p>/g)].map(([, text]) => text)).toEqual([
      "Falls",
      "Lost",
      "It was fun.",
    ]);
    expect(shown).toContain("They are saved on this computer");
    expect(shown).not.toContain("Take an image");
    const [falls, lost] = await commandLists();
    const editing = `${path}?edit=${lost!.id}`;
    const changed = await submit(editing, `${path}/moments/change`, { position: "0:04", text: "Found", kind: "delight" });
    expect(changed.headers.location).toContain("?done=changed#");
    expect((await submit(`${path}?edit=${falls!.id}`, `${path}/moments/delete`)).headers.location).toContain("?done=deleted#");
    expect(await commandLists()).toMatchObject([{ id: lost!.id, atMs: 4000, text: "Found", kind: "delight" }]);
  });

  it("lists many moments page by page", async () => {
    const id = await world.submitted();
    for (let at = 0; at < 52; at++)
      await submit(`/studio/slots/${id}`, `/studio/slots/${id}/moments`, {
        position: `0:${String(at).padStart(2, "0")}`,
        text: "x",
      });
    const fields = { position: "0:53", text: "On the second page" };
    const saved = (await submit(`/studio/slots/${id}`, `/studio/slots/${id}/moments`, fields)).headers.location!;
    expect((await ask(studio.origin + saved, { cookie: entered.cookie })).text).toContain("On the second page");
    const first = (await get(`/studio/slots/${id}`)).text;
    const [, later] = /href="([^"]*\?cursor=[^"#]*)#moments"/.exec(first)!;
    expect(
      [first, (await ask(studio.origin + later!, { cookie: entered.cookie })).text].map(
        (text) => text.split('<li id="moment-').length - 1,
      ),
    ).toEqual([50, 3]);
  });

  it("searches nowhere, and says so", async () => {
    const { text } = await get("/studio/search?q=door");
    expect(text).toContain("The server that you are signed in to has no search.");
    expect([text, (await get("/studio")).text].map((page) => page.includes('role="search"'))).toEqual([false, false]);
  });
});
