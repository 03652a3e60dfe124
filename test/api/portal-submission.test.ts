import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { signedIn, type Visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";
import { videoOf } from "../helpers/videos.ts";

const script = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));

onBothDatabases("a submission in the portal", (serve) => {
  async function market(change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const playtester = await factories.registerPlaytester(server);
    return { server, owner, gameId: await factories.createGame(owner), playtester, ann: await signedIn(server, playtester) };
  }

  const watch = (server: TestServer, who: Visitor | undefined, path: string, headers: Record<string, string> = {}) =>
    fetch(server.baseUrl + path, { headers: { ...headers, ...(who && { cookie: who.cookie() }) }, redirect: "manual" });

  it("is watched by its playtester, also in parts and after the decision, and by nobody else", async () => {
    const { server, owner, gameId, playtester, ann } = await market();
    const other = await signedIn(server, await factories.registerPlaytester(server));
    for (const decide of ["accept", "reject"]) {
      const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
      const path = `/play/slots/${slotId}/recording`;
      for (const isDecided of [false, true]) {
        if (isDecided) await owner.post(`/slots/${slotId}/${decide}`);
        const html = (await ann.get(`/play/slots/${slotId}`)).html;
        expect(html).toContain(`<video controls playsinline preload="metadata" src="${path}" aria-label="Your playtest of `);
        expect(html).not.toContain("<track");
        const part = await watch(server, ann, path, { range: "bytes=4-11" });
        expect([part.status, part.headers.get("content-range"), part.headers.get("content-type"), await part.text()]).toEqual([
          206,
          `bytes 4-11/${factories.videoBytes().length}`,
          "video/mp4",
          "ftypisom",
        ]);
        expect((await watch(server, other, path)).status).toBe(404);
        expect((await watch(server, undefined, path)).status).toBe(303);
      }
    }
    const reserved = await factories.claim(playtester, await factories.order(owner, gameId));
    expect((await watch(server, ann, `/play/slots/${reserved}/recording`)).status).toBe(404);
  });

  it("has captions once its transcript is approved", async () => {
    const { server, owner, gameId, playtester, ann } = await market({
      config: (config) => (config.transcriber.command = [process.execPath, script, "vtt"]),
    });
    const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
    const path = `/play/slots/${slotId}/recording/captions`;
    expect((await watch(server, ann, path)).status).toBe(404);
    await server.advance(0);
    expect((await ann.get(`/play/slots/${slotId}`)).html).toContain(`<track kind="captions" src="${path}" label="Captions">`);
    const captions = await watch(server, ann, path);
    expect([captions.headers.get("content-type"), await captions.text()]).toEqual([
      "text/vtt; charset=utf-8",
      expect.stringMatching(/^WEBVTT\n/),
    ]);
    const other = await signedIn(server, await factories.registerPlaytester(server));
    expect((await watch(server, other, path)).status).toBe(404);
  });

  it("is required to be of a length, size and format that the page says before the upload", async () => {
    const { owner, gameId, playtester, ann } = await market({
      config: (config) => {
        config.playtesters.minVideoPercent = 25;
        config.uploads.videoMaxBytes = 3 * 1024 ** 3;
      },
    });
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId, { durationMinutes: 120 }));
    const { html } = await ann.get(`/play/slots/${slotId}`);
    expect([...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, ...pair]) => pair)).toEqual([
      ["Length", "at least 30 min; this playtest is booked for 120 minutes"],
      ["Size", "at most 3 GiB"],
      ["Format", "MP4, WebM, MOV or MKV. Everybody can watch MP4 with H.264 and AAC, or WebM with VP8 or VP9."],
    ]);
    expect(html).toContain('data-max-bytes="3221225472"');
    expect(html).toContain('<a href="/play/help/recording">');
  });

  it("has a button that cannot be pressed, with the reason, until a video of the required length is uploaded", async () => {
    const { server, owner, gameId, playtester, ann } = await market({
      config: (config) => (config.playtesters.minVideoPercent = 50),
    });
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId, { durationMinutes: 30 }));
    const buttonNow = async () =>
      /<div id="submit">(.*?)<\/div>/.exec((await ann.get(`/play/slots/${slotId}`)).html)![1]!.replace(/<[^>]*>/g, "|");
    expect(await buttonNow()).toBe("|Submit||You can submit when your video is uploaded.|");
    await factories.giveVideo(server, slotId, playtester, await videoOf(60));
    expect(await buttonNow()).toBe(
      "|Submit||You cannot submit this video: it is 1 min long, and at least 15 min are required. Upload a longer one.|",
    );
    await factories.giveVideo(server, slotId, playtester, await videoOf(1_700));
    expect(await buttonNow()).toBe("|This submits |play.mp4|. You cannot change it afterwards.||Submit|");
  });

  it("asks to confirm a video that is much shorter than booked, or of which something looks wrong, before it is submitted", async () => {
    const { server, owner, gameId, playtester, ann } = await market();
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId, { durationMinutes: 30 }));
    await factories.giveVideo(server, slotId, playtester, await videoOf(900));
    const { html } = await ann.get(`/play/slots/${slotId}`);
    expect(html).toContain("<li>The video is 15 min long, and the playtest is booked for 30 minutes.</li>");
    expect(html).toContain('<input type="checkbox" name="sure" value="yes" required>');
    await server.deps.store.write((tx) =>
      tx.run("UPDATE playtests SET duration_minutes = 15 WHERE id = (SELECT playtest_id FROM slots WHERE id = ?)", slotId),
    );
    expect((await ann.get(`/play/slots/${slotId}`)).html).not.toContain('name="sure"');
  });

  it("rejected with another try: both pages say so, with the deadline, the reason and the way to each other", async () => {
    const { server, owner, gameId, playtester, ann } = await market();
    const first = await factories.play(server, playtester, await factories.order(owner, gameId));
    await owner.post(`/slots/${first}/reject`, { reason: "No sound, see https://example.com/mic.", allowRetry: true });
    const second = (await playtester.listHeldSlots({ query: { state: "active" } })).slots[0] as {
      id: string;
      deadlineAt: string;
    };
    const rejected = (await ann.get(`/play/slots/${first}`)).html;
    expect(rejected).toContain("This attempt is not paid.");
    expect(rejected).toContain(`You can try again: submit another video by <time datetime="${second.deadlineAt}">`);
    expect(rejected).toContain(`href="/play/slots/${second.id}">Go to the new attempt</a>`);
    const again = (await ann.get(`/play/slots/${second.id}`)).html;
    expect(again).toContain("This is attempt 2.");
    expect(again).toContain('No sound, see <a href="https://example.com/mic" target="_blank" rel="noopener nofollow">');
    expect(again).toContain(`href="/play/slots/${first}">See the last attempt</a>`);
    await owner.post(`/slots/${await factories.play(server, playtester, await factories.order(owner, gameId))}/reject`, {
      reason: "Wrong game.",
    });
    const [final] = (await playtester.listHeldSlots({ query: { state: "ended", limit: 1 } })).slots as { id: string }[];
    expect((await ann.get(`/play/slots/${final!.id}`)).html).toContain("You cannot try again.");
  });

  it("the list has active slots first, by deadline, and those that ended without a pay that is not paid", async () => {
    const { server, owner, playtester, ann } = await market();
    const [late, soon, sent, over] = ["Late", "Soon", "Sent", "Over"].map((name) => ({ name }));
    const slotOf = async ({ name }: { name: string }, body = {}) =>
      factories.claim(playtester, await factories.order(owner, await factories.createGame(owner, { name }), body));
    const released = await slotOf(over!);
    await playtester.releaseSlot({ params: { id: released } });
    await factories.play(server, playtester, await factories.order(owner, await factories.createGame(owner, sent)));
    await slotOf(late!, { playerCount: 2 });
    await slotOf(soon!);
    const { html } = await ann.get("/play/slots");
    const text = html.split("<h1>")[1]!;
    expect(["Active", "Soon", "Late", "Sent", "Ended", "Over"].map((word) => text.indexOf(`>${word}<`))).toEqual(
      ["Active", "Soon", "Late", "Sent", "Ended", "Over"].map((word) => text.indexOf(`>${word}<`)).toSorted((a, b) => a - b),
    );
    expect(text.split(">Ended<")[1]).toContain("Released");
    expect(text.split(">Ended<")[1]).not.toContain("$");
    expect((await ann.get("/play/notifications")).html).toContain(`<a href="/play/slots/${released}">Slot reserved</a>`);
  });

  it("notifications name the deadline as a time that the reader's browser shows in its zone", async () => {
    const { owner, gameId, playtester, ann } = await market();
    const id = await factories.claim(playtester, await factories.order(owner, gameId));
    const { deadlineAt } = (await playtester.getHeldSlot({ params: { id } })).slot as { deadlineAt: string };
    const minute = `${deadlineAt.slice(0, 16)}:00.000Z`;
    expect((await ann.get("/play/notifications")).html).toContain(`Submit your video before <time datetime="${minute}">`);
  });

  it("has a help page that says how to record on every device", async () => {
    const { ann } = await market();
    const { status, html } = await ann.get("/play/help/recording");
    const devices = (await ann.get("/play")).html.match(/<option value="(\w+)"/g)!.map((option) => option.split('"')[1]!);
    expect([status, devices]).toEqual([200, ["PC", "Mac", "Linux", "iOS", "Android"]]);
    const makers = devices.map((device) => {
      const section = html.split(`<section id="${device}"><h2>`)[1]!.split("</section>")[0]!;
      return new URL(section.split('<p class="more"><a href="')[1]!.split('"')[0]!).host;
    });
    expect(makers).toEqual([
      "support.xbox.com",
      "support.apple.com",
      "obsproject.com",
      "support.apple.com",
      "support.google.com",
    ]);
  });

  it("says how many GiB an hour of video at a given rate takes", async () => {
    const { ann } = await market();
    const { html } = await ann.get("/play/help/recording");
    const [, megabits, gibibytes] = /at (\d+) Mbit\/s, the rate that YouTube recommends, takes ([\d.]+) GiB/.exec(html)!;
    const bytesOfAnHour = (Number(megabits) * 1_000_000 * 60 * 60) / 8;
    expect(Number(gibibytes)).toBeCloseTo(bytesOfAnHour / 1024 ** 3, 1);
  });
});
