import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import {
  claim,
  createGame,
  firstAdmin,
  giveCredit,
  order,
  type Person,
  registerOwner,
  registerPlaytester,
} from "../helpers/factories.ts";
import { hiddenFields, signedIn, type Visitor } from "../helpers/portal.ts";

const password = "correct horse";
const png = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
const gameIn = (location: string | null) => /\/studio\/games\/([0-9a-f-]{36})/.exec(location ?? "")![1]!;

onBothDatabases("games in Studio", (serve) => {
  async function scene(change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await registerOwner(server, "Hearth & Co");
    return { server, owner, browser: await signedIn(server, owner, "/studio") };
  }

  /** Posts the file of a form on a page, with its hidden fields. */
  async function sendFile(browser: Visitor, page: string, action: string, bytes: Buffer, more: Record<string, string> = {}) {
    const fields = { ...hiddenFields((await browser.get(page)).html, action), ...more };
    return browser.sendFile(action, fields, { name: more.filename ?? "build.zip", bytes });
  }

  it("a game is created without a build, which its pages say, and gets one by a form without scripts", async () => {
    const { browser, owner } = await scene();
    const fields = {
      name: "Lantern Deep",
      description: "Down the well.",
      "device-PC": "yes",
      "device-Mac": "yes",
      "platform-itch.io": "yes",
      languages: "en, pt-br",
      externalUrl: "https://example.com/lantern",
    };
    const made = await browser.submit("/studio/games/new", "/studio/games/new", fields);
    const id = gameIn(made.location);
    expect(made.location).toBe(`/studio/games/${id}/builds?done=created`);
    const { game } = await owner.getGame({ params: { id } });
    expect(game).toMatchObject({
      name: "Lantern Deep",
      description: "Down the well.",
      instructions: null,
      devices: ["PC", "Mac"],
      platforms: ["itch.io"],
      languages: ["en", "pt-BR"],
      externalUrl: "https://example.com/lantern",
    });
    expect((await browser.get(`/studio/games/${id}`)).html).toContain("This game has no build yet, so nobody can play it.");
    const path = `/studio/games/${id}/builds`;
    expect((await browser.get(path)).html).toContain("No builds yet.");
    const bytes = Buffer.from("PK of a build");
    const labels = { version: "1.4.0 ", channel: "beta", notes: "Fixes the well.\r\nAnd the lamp." };
    expect((await sendFile(browser, path, `${path}/file`, bytes, labels)).location).toBe(`${path}?done=uploaded`);
    const [build] = (await owner.listBuilds({ params: { id } })).builds;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(build).toMatchObject({
      filename: "build.zip",
      size: bytes.length,
      sha256,
      contentSha256: sha256,
      version: "1.4.0",
      channel: "beta",
      notes: "Fixes the well.\nAnd the lamp.",
    });
    expect((await owner.getGame({ params: { id } })).game.buildUrl).toBe(build!.buildUrl);
    const { html } = await browser.get(path);
    expect(html).toMatch(/<h3>1\.4\.0<\/h3><span class="badge good">In use<\/span>/);
    expect((await browser.get(`/studio/games/${id}`)).html).not.toContain("has no build yet");
    const link = await browser.get(/href="([^"]+\/download)"/.exec(html)![1]!);
    expect(Buffer.from(await (await fetch(link.location!)).arrayBuffer())).toEqual(bytes);
  });

  it("a suspended game offers no orders", async () => {
    const { browser, owner, server } = await scene();
    const path = `/studio/games/${await createGame(owner)}`;
    expect((await browser.get(path)).html).toContain("Order playtests</a>");
    const admin = await firstAdmin(server);
    expect((await admin.post(`/admin/games/${gameIn(path)}/suspend`)).status).toBe(200);
    const { html } = await browser.get(path);
    expect(html).toContain("Suspended: no playtests of it can be ordered, and nobody can claim its slots.");
    expect(html).not.toContain("/studio/order");
  });

  it("who holds a slot of a game without a build is told so", async () => {
    const { browser, owner, server } = await scene();
    await giveCredit(server, owner, 10_000);
    const id = gameIn((await browser.submit("/studio/games/new", "/studio/games/new", { name: "Lantern Deep" })).location);
    const ann = await registerPlaytester(server);
    const slotId = await claim(ann, await order(owner, id));
    const portal = await signedIn(server, ann);
    const link = (await portal.get(`/play/slots/${slotId}/build`)).location!;
    expect(await (await fetch(link)).text()).toContain("This game has no build yet. Its owner has to upload one.");
  });

  it("a form that is wrong is shown again with what was typed, and creates nothing", async () => {
    const { browser, owner } = await scene();
    const fields = { name: "Lantern", languages: "en, klingonese!", "device-Linux": "yes", coverImageUrl: "picture.png" };
    const reply = await browser.submit("/studio/games/new", "/studio/games/new", fields);
    expect(reply.status).toBe(422);
    expect(reply.html).toContain('value="Lantern"');
    expect(reply.html).toContain('name="device-Linux" value="yes" checked');
    expect((await owner.listGames()).games).toEqual([]);
  });

  it.each([
    [true, "Statistics: ratings, times and costs"],
    [false, "Statistics: ratings and times"],
  ])("the page of a game names what its statistics show; with payments: %s", async (enabled, label) => {
    const { browser, owner } = await scene({ config: ({ payments }) => Object.assign(payments, { enabled }) });
    const { html } = await browser.get(`/studio/games/${await createGame(owner)}`);
    expect(html).toContain(`>${label}</a>`);
  });

  it("two long texts in any script are saved", async () => {
    const { browser, owner } = await scene();
    const text = "灯".repeat(5000);
    const id = await createGame(owner);
    const path = `/studio/games/${id}/edit`;
    const reply = await browser.submit(path, path, { name: "灯", description: text, instructions: text });
    expect(reply.location).toBe(`/studio/games/${id}?done=saved`);
    const { game } = await owner.getGame({ params: { id } });
    expect([game.name, game.description, game.instructions]).toEqual(["灯", text, text]);
  });

  it("the form for changes shows what there is, and removes what was emptied", async () => {
    const { browser, owner } = await scene();
    const id = await createGame(owner, { name: "Lantern", description: "Deep.", devices: ["PC"], languages: ["de"] });
    const path = `/studio/games/${id}/edit`;
    const { html } = await browser.get(path);
    for (const part of ['value="Lantern"', ">Deep.</textarea>", 'name="device-PC" value="yes" checked', 'value="de"'])
      expect(html).toContain(part);
    await browser.submit(path, path, { name: "Lantern", "device-Mac": "yes" });
    expect((await owner.getGame({ params: { id } })).game).toMatchObject({ description: null, devices: ["Mac"], languages: [] });
  });

  describe("a form that was opened before the game was changed elsewhere", () => {
    async function opened() {
      const { browser, owner } = await scene();
      const given = {
        name: "Lantern",
        description: "Deep.\r\nDark.",
        instructions: "Jump.",
        devices: ["Mac" as const, "PC" as const],
      };
      const id = await createGame(owner, given);
      const path = `/studio/games/${id}/edit`;
      const fields = { ...given, devices: undefined, "device-PC": "yes", "device-Mac": "yes" };
      const untouched = { ...hiddenFields((await browser.get(path)).html, path), ...fields } as unknown as Record<string, string>;
      return { browser, owner, id, path, untouched, game: async () => (await owner.getGame({ params: { id } })).game };
    }

    it("changes only what was changed in it", async () => {
      const { browser, owner, id, path, untouched, game } = await opened();
      await owner.updateGame({ params: { id }, body: { description: "Deeper.", devices: ["Linux"] } });
      const reply = await browser.send(path, { ...untouched, name: "Lantern Deep" });
      expect(reply.location).toBe(`/studio/games/${id}?done=saved`);
      const after = { name: "Lantern Deep", description: "Deeper.", instructions: "Jump.", devices: ["Linux"] };
      expect(await game()).toMatchObject(after);
    });

    it("says what the same field is now, keeps what was typed, and replaces that field alone when it is sent again", async () => {
      const { browser, owner, id, path, untouched, game } = await opened();
      await owner.updateGame({ params: { id }, body: { description: "Deeper.", instructions: "Duck." } });
      const sent = { ...untouched, description: "Deepest." };
      const { status, html } = await browser.send(path, sent);
      expect(status).toBe(409);
      expect(html).toContain(
        '<a href="#description">Description</a>: was changed to “Deeper.” elsewhere while this page was open. Nothing was saved. Save again to replace that.',
      );
      expect(html).toContain(">Deepest.</textarea>");
      expect(await game()).toMatchObject({ description: "Deeper.", instructions: "Duck." });
      await browser.send(path, { ...sent, ...hiddenFields(html, path) });
      expect(await game()).toMatchObject({ description: "Deepest.", instructions: "Duck." });
    });
  });

  it("an address replaces the build", async () => {
    const { browser, owner } = await scene();
    const id = await createGame(owner);
    const path = `/studio/games/${id}/builds`;
    const wrong = await browser.submit(path, `${path}/address`, { buildUrl: "ftp://example.com" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('id="build-url-fault"')]);
    await browser.submit(path, `${path}/address`, { buildUrl: "https://example.com/2.zip" });
    expect((await owner.getGame({ params: { id } })).game.buildUrl).toBe("https://example.com/2.zip");
  });

  describe("a posted file", () => {
    it("of a build that is empty or too large is refused, and nothing is stored", async () => {
      const { browser, owner } = await scene({ config: ({ uploads }) => Object.assign(uploads, { buildMaxBytes: 1000 }) });
      const id = await createGame(owner);
      const path = `/studio/games/${id}/builds`;
      const before = (await owner.listBuilds({ params: { id } })).builds;
      const empty = await sendFile(browser, path, `${path}/file`, Buffer.alloc(0), { version: "1.0" });
      expect([empty.status, empty.html]).toEqual([400, expect.stringContaining("The file is empty. Nothing was stored.")]);
      expect(empty.html).toContain('value="1.0"');
      const large = await sendFile(browser, path, `${path}/file`, Buffer.alloc(1001));
      expect([large.status, large.html]).toEqual([413, expect.stringContaining("Nothing was stored.")]);
      expect((await owner.listBuilds({ params: { id } })).builds).toEqual(before);
    });

    it("a picture is shown with the game; what is none is refused", async () => {
      const { browser, owner, server } = await scene();
      const id = await createGame(owner);
      const path = `/studio/games/${id}/edit`;
      const text = await sendFile(browser, path, `${path}/picture`, Buffer.from("<svg>"), { filename: "a.svg" });
      expect([text.status, text.html]).toEqual([400, expect.stringContaining("a.svg is not a picture.")]);
      const large = await sendFile(browser, path, `${path}/picture`, Buffer.concat([png, Buffer.alloc(1024 * 1024)]));
      expect(large.status).toBe(413);
      expect((await sendFile(browser, path, `${path}/picture`, png)).location).toBe(`${path}?done=picture`);
      const shown = /<img class="cover" src="([^"]+)"/.exec((await browser.get(path)).html)![1]!;
      expect(Buffer.from(await (await fetch(server.baseUrl + shown)).arrayBuffer())).toEqual(png);
      await giveCredit(server, owner, 10_000);
      await order(owner, id);
      const ann = await signedIn(server, await registerPlaytester(server));
      expect((await ann.get("/play")).html).toContain(shown);
      await browser.submit(path, path, { name: "Lantern" });
      expect((await browser.get(path)).html).not.toContain(shown);
    });

    it("a picture that is refused leaves the boxes of the game as they were", async () => {
      const { browser, owner } = await scene();
      const path = `/studio/games/${await createGame(owner, { devices: ["Mac"], platforms: ["itch.io"] })}/edit`;
      const { html } = await sendFile(browser, path, `${path}/picture`, Buffer.from("<svg>"), { filename: "a.svg" });
      const ticked = [...html.matchAll(/name="([^"]+)" value="yes" checked/g)].map(([, name]) => name);
      expect(ticked).toEqual(["device-Mac", "platform-itch.io"]);
    });

    it.each(["builds/file", "edit/picture"])("of somebody else's game is not taken by %s", async (action) => {
      const { browser, owner, server } = await scene();
      const own = await createGame(owner);
      const other: Person = await registerOwner(server, "Other");
      const id = await createGame(other);
      const page = `/studio/games/${own}/${action.split("/")[0]}`;
      const fields = hiddenFields((await browser.get(page)).html, `/studio/games/${own}/${action}`);
      const reply = await browser.sendFile(`/studio/games/${id}/${action}`, fields, { name: "a.png", bytes: png });
      expect(reply.status).toBe(404);
      expect((await browser.sendFile(`/studio/games/${own}/${action}`, {}, { name: "a.png", bytes: png })).status).toBe(403);
      expect((await other.listBuilds({ params: { id } })).builds).toHaveLength(1);
    });

    it("is not taken from a playtester", async () => {
      const { owner, server } = await scene();
      const id = await createGame(owner);
      const ann = await signedIn(server, await registerPlaytester(server));
      expect((await ann.sendFile(`/studio/games/${id}/builds/file`, { password }, { name: "a", bytes: png })).status).toBe(403);
    });
  });
});
