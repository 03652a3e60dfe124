import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { holdCutter } from "../helpers/held-cutter.ts";
import { hiddenFields, signedIn, visitor } from "../helpers/portal.ts";
import { reviewMarket, submitted } from "../helpers/review.ts";
import type { TestServerOptions } from "../helpers/server.ts";

const ffmpeg = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const cuts: TestServerOptions["config"] = ({ clips }) => {
  clips.ffmpeg = [process.execPath, ffmpeg, "cut"];
};

onBothDatabases("sharing in Studio", (serve) => {
  async function waiting(config?: TestServerOptions["config"]) {
    const server = await serve(config ? { config } : {});
    const { owner, gameId } = await reviewMarket(server);
    const playtester = await registerPlaytester(server, "Ann Secret");
    const slotId = await submitted(server, owner, { gameId, playtester });
    const playtestId = (await owner.get(`/slots/${slotId}`)).body.data.slot.requestId as string;
    const browser = await signedIn(server, owner, "/studio");
    return { server, owner, slotId, playtestId, browser };
  }
  const linkIn = (html: string) => /href="(http:[^"]*\/share\/[^"]+)"/.exec(html)?.[1];

  it.each(["slots", "playtests"] as const)(
    "%s: makes a link with a password that anybody can open, once, and ends it",
    async (of) => {
      const { server, owner, slotId, playtestId, browser } = await waiting();
      const path = `/studio/${of}/${of === "slots" ? slotId : playtestId}`;
      const fields = { ...hiddenFields((await browser.get(path)).html, `${path}/shares`), validForSeconds: "86400" };
      const filled = { ...fields, password: "correct horse", withName: "yes" };
      for (let times = 0; times < 2; times++)
        expect(await browser.send(`${path}/shares`, filled)).toMatchObject({
          status: 303,
          location: `${path}?done=shared#shares`,
        });
      const { shares } = (await owner.get("/shares")).body.data;
      expect(shares).toMatchObject([{ kind: of.slice(0, -1), hasPassword: true, withName: true, withNotes: false }]);
      const shown = (await browser.get(`${path}?done=shared`)).html;
      expect([
        linkIn(shown),
        shown.includes("The link is made."),
        shown.includes("with a password · with the name · 0 views"),
      ]).toEqual([shares[0].url, true, true]);
      const stranger = visitor(server);
      const publicPath = new URL(shares[0].url).pathname;
      expect((await stranger.get(publicPath)).html).toContain("This page needs a password");
      const end = hiddenFields(shown, `${path}/shares/end`);
      expect((await browser.send(`${path}/shares/end`, end)).location).toBe(`${path}?done=unshared#shares`);
      expect([(await stranger.get(publicPath)).status, linkIn((await browser.get(path)).html)]).toEqual([404, undefined]);
    },
  );

  it("a link to a playtest is listed however many links its slots have", async () => {
    const { server, owner, slotId, playtestId, browser } = await waiting();
    await owner.post(`/playtests/${playtestId}/shares`, {});
    await server.advance(1_000);
    for (let made = 0; made < 101; made++) await owner.post(`/slots/${slotId}/shares`, {});
    const links = async (path: string) => (await browser.get(path)).html.match(/End this link now/g)?.length ?? 0;
    const pages = [`/studio/playtests/${playtestId}`, `/studio/slots/${slotId}`];
    expect(await Promise.all(pages.map(links))).toEqual([1, 101]);
  });

  it("a short password is refused beside its field, and nothing is shared", async () => {
    const { owner, slotId, browser } = await waiting();
    const path = `/studio/slots/${slotId}`;
    const fields = hiddenFields((await browser.get(path)).html, `${path}/shares`);
    const refused = await browser.send(`${path}/shares`, { ...fields, validForSeconds: "86400", password: "short" });
    expect([refused.status, refused.html.includes('id="share-password-fault"'), refused.html.includes("<details open>")]).toEqual(
      [422, true, true],
    );
    expect((await owner.get("/shares")).body.data.shares).toEqual([]);
  });

  it("nobody shares the video of somebody else, ends their links, or cuts clips of it", async () => {
    const { server, owner, slotId, playtestId } = await waiting(cuts);
    const { share } = (await owner.post(`/slots/${slotId}/shares`, {})).body.data;
    const other = await signedIn(server, await registerOwner(server, "Eve"), "/studio");
    const own = hiddenFields((await other.get("/studio")).html, "/studio/sign-out");
    const form = { csrf: own.csrf!, formKey: "k", validForSeconds: "86400", share: share.id, part: "0:01-0:02" };
    for (const path of [
      `slots/${slotId}/shares`,
      `playtests/${playtestId}/shares`,
      `slots/${slotId}/shares/end`,
      `slots/${slotId}/clips`,
    ])
      expect((await other.send(`/studio/${path}`, form)).status, path).toBe(404);
    const signed = await signedIn(server, owner, "/studio");
    expect((await signed.send(`/studio/slots/${slotId}/shares`, { ...form, csrf: "wrong" })).status).toBe(403);
    expect((await owner.get("/shares")).body.data.shares).toMatchObject([{ id: share.id, state: "active" }]);
  });

  it("cuts a clip, offers it to download, and deletes it", async () => {
    const { server, owner, slotId, browser } = await waiting(cuts);
    const path = `/studio/slots/${slotId}`;
    const fields = hiddenFields((await browser.get(path)).html, `${path}/clips`);
    const refused = await browser.send(`${path}/clips`, { ...fields, part: "0:02" });
    expect([refused.status, refused.html.includes("Must be a part of the video, such as 12:30-12:55.")]).toEqual([422, true]);
    const beyond = await browser.send(`${path}/clips`, { ...fields, part: "0:11-0:13" });
    expect([beyond.status, beyond.html.includes("Must be within the video, which ends at 0:12.")]).toEqual([422, true]);
    const cut = holdCutter(server);
    expect((await browser.send(`${path}/clips`, { ...fields, part: "0:01-0:02", name: "The <door>" })).location).toBe(
      `${path}?done=clipped#clips`,
    );
    expect((await browser.get(path)).html).toContain("0:01–0:02 · is being cut: reload this page in a moment");
    cut();
    await server.advance(0);
    const html = (await browser.get(path)).html;
    const { downloadUrl } = (await owner.get(`/slots/${slotId}/clips`)).body.data.clips[0];
    expect(html).toContain(`rel="noreferrer">The &lt;door&gt;</a>`);
    expect((await fetch(downloadUrl)).status).toBe(200);
    const image = /<img src="([^"]+)" alt="The clip The &lt;door&gt;"/.exec(html)![1]!;
    const other = await signedIn(server, await registerOwner(server, "Eve"), "/studio");
    expect([(await browser.get(image)).status, (await other.get(image)).status]).toEqual([200, 404]);
    expect((await browser.send(`${path}/clips/delete`, hiddenFields(html, `${path}/clips/delete`))).status).toBe(303);
    expect((await owner.get(`/slots/${slotId}/clips`)).body.data.clips).toEqual([]);
  });

  it("takes a still image of a moment, shows it to its owner alone, and deletes it", async () => {
    const { server, owner, slotId, browser } = await waiting(cuts);
    const path = `/studio/slots/${slotId}`;
    const { id } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 2000, text: "The door" })).body.data.moment;
    const take = { ...hiddenFields((await browser.get(path)).html, `${path}/moments/still`), moment: id };
    const cut = holdCutter(server);
    expect((await browser.send(`${path}/moments/still`, take)).location).toBe(`${path}?done=pictured#moment-${id}`);
    expect((await browser.get(path)).html).toContain("The still image is being cut. Reload this page in a moment.");
    cut();
    await server.advance(0);
    const { html } = await browser.get(path);
    expect(html).toContain(`<img src="${path}/thumbnails/${id}" alt="The video at 0:02" loading="lazy">`);
    expect(html).toContain(`poster="${path}/poster"`);
    const other = await signedIn(server, await registerOwner(server, "Eve"), "/studio");
    for (const file of [`stills/${id}`, `thumbnails/${id}`, "poster"])
      expect([(await browser.get(`${path}/${file}`)).status, (await other.get(`${path}/${file}`)).status]).toEqual([200, 404]);
    expect(html).toContain(`value="${id}" formaction="${path}/moments/still/delete"`);
    const away = { ...hiddenFields(html, `${path}/moments/still`), moment: id };
    expect((await browser.send(`${path}/moments/still/delete`, away)).location).toBe(`${path}?done=unpictured#moment-${id}`);
    expect((await browser.get(`${path}/stills/${id}`)).status).toBe(404);
  });

  it("takes an image together with a moment, shows it beside the video of a comparison, and saves the moment without ffmpeg too", async () => {
    const { server, owner, slotId, playtestId, browser } = await waiting(cuts);
    const path = `/studio/slots/${slotId}`;
    const fields = { ...hiddenFields((await browser.get(path)).html, `${path}/moments`), position: "0:02", still: "yes" };
    const cut = holdCutter(server);
    const moments = async () => (await owner.get(`/slots/${slotId}/moments`)).body.data.moments;
    for (let times = 0; times < 2; times++)
      expect(await browser.send(`${path}/moments`, { ...fields, text: "The door" })).toMatchObject({
        status: 303,
        location: expect.stringContaining(`${path}?done=noted-pictured#moment-`),
      });
    expect(await moments()).toMatchObject([{ text: "The door", still: { status: "pending" } }]);
    expect((await browser.get(`${path}?done=noted-pictured`)).html).toContain("The moment is saved. Its image is being cut.");
    cut();
    await server.advance(0);
    const compared = (await browser.get(`/studio/playtests/${playtestId}/compare?slots=${slotId}`)).html;
    expect(compared).toContain(`poster="${path}/poster"`);

    const { accountMaxBytes } = server.deps.config.uploads;
    server.deps.config.uploads.accountMaxBytes = 1024;
    const full = await browser.send(`${path}/moments`, { ...fields, formKey: "full", text: "The key" });
    server.deps.config.uploads.accountMaxBytes = accountMaxBytes;
    server.deps.cutter = null;
    const uncut = await browser.send(`${path}/moments`, { ...fields, formKey: "uncut", text: "The lock" });
    expect([full.location, uncut.location]).toEqual([
      expect.stringContaining(`${path}?done=noted-unpictured#moment-`),
      expect.stringContaining(`${path}?done=noted-uncut#moment-`),
    ]);
    expect((await browser.get(uncut.location!)).html).toContain("without an image: this server cuts none");
    expect((await moments()).map(({ text }: { text: string }) => text)).toEqual(["The door", "The key", "The lock"]);
  });

  it("shares a clip by a link with a password for as long as chosen, which is listed with what it is of", async () => {
    const { server, owner, slotId, browser } = await waiting(cuts);
    const path = `/studio/slots/${slotId}`;
    const clip = (await owner.post(`/slots/${slotId}/clips`, { atMs: 1000, endMs: 2000, name: "The door" })).body.data.clip;
    expect((await browser.get(path)).html).not.toContain("What is shared");
    await server.advance(0);
    expect((await browser.get(path)).html).toContain(`<a href="?clip=${clip.id}#shares" data-share="${clip.id}">Share`);
    const chosen = (await browser.get(`${path}?clip=${clip.id}`)).html;
    expect(chosen).toContain(`<option value="${clip.id}" selected>The clip The door</option>`);
    const fields = { clip: clip.id, validForSeconds: "86400", password: "lamp in the dark" };
    const filled = { ...hiddenFields(chosen, `${path}/shares`), ...fields };
    const refused = await browser.send(`${path}/shares`, { ...filled, password: "short" });
    expect([refused.status, refused.html.includes(`<option value="${clip.id}" selected>`)]).toEqual([422, true]);
    expect((await browser.send(`${path}/shares`, filled)).location).toBe(`${path}?done=shared#shares`);
    const { shares } = (await owner.get("/shares")).body.data;
    expect(shares).toMatchObject([{ kind: "clip", clipId: clip.id, hasPassword: true }]);
    expect(Date.parse(shares[0].expiresAt) - Date.parse(shares[0].createdAt)).toBe(86_400_000);
    const { html } = await browser.get(path);
    expect(html).toContain("the clip The door · with a password · 0 views");
    const stranger = visitor(server);
    const link = new URL(linkIn(html)!).pathname;
    expect((await stranger.get(link)).html).toContain("This page needs a password");
    await stranger.send(link, { password: "lamp in the dark" });
    expect((await stranger.get(link)).html).toContain("Clip: The door");
  });

  it("without ffmpeg, says what the operator has to install", async () => {
    const { owner, slotId, browser } = await waiting();
    const path = `/studio/slots/${slotId}`;
    const { id } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 2000, text: "The door" })).body.data.moment;
    const { html } = await browser.get(path);
    expect(html).toContain("This server cannot cut clips and still images. Its operator can install ffmpeg and set");
    expect(html).not.toMatch(/Cut a clip|Take an image/);
    for (const [form, more] of [
      ["clips", { part: "0:01-0:02" }],
      ["moments/still", { moment: id }],
    ] as const) {
      // A page that was opened while the server still had ffmpeg.
      const refused = await browser.send(`${path}/${form}`, { ...hiddenFields(html, `${path}/moments`), ...more });
      expect(refused.html).toContain("Its operator can install ffmpeg and set");
      expect(refused.html).toContain("<h1>Ann Secret plays Lantern Deep</h1>");
    }
  });
});
