import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { registerOwner, registerPlaytester } from "../helpers/factories.ts";
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
    expect([beyond.status, beyond.html.includes("Must be within the video, which is 12000 ms long.")]).toEqual([422, true]);
    expect((await browser.send(`${path}/clips`, { ...fields, part: "0:01-0:02", name: "The <door>" })).location).toBe(
      `${path}?done=clipped#clips`,
    );
    expect((await browser.get(path)).html).toContain("0:01–0:02 · is being cut: reload this page in a moment");
    await server.advance(0);
    const html = (await browser.get(path)).html;
    const { downloadUrl } = (await owner.get(`/slots/${slotId}/clips`)).body.data.clips[0];
    expect(html).toContain(`rel="noreferrer">The &lt;door&gt;</a>`);
    expect((await fetch(downloadUrl)).status).toBe(200);
    expect((await browser.send(`${path}/clips/delete`, hiddenFields(html, `${path}/clips/delete`))).status).toBe(303);
    expect((await owner.get(`/slots/${slotId}/clips`)).body.data.clips).toEqual([]);
  });

  it("without ffmpeg, says what the operator has to install", async () => {
    const { slotId, browser } = await waiting();
    const path = `/studio/slots/${slotId}`;
    const fields = hiddenFields((await browser.get(path)).html, `${path}/clips`);
    const refused = await browser.send(`${path}/clips`, { ...fields, part: "0:01-0:02" });
    expect(refused.html).toMatch(/ffmpeg/);
  });
});
