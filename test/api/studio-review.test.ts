import { describe, expect, it } from "vitest";
import { sampleTranscriber } from "../../server/sandbox/sample-transcriber.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { hiddenFields, signedIn, type Visitor } from "../helpers/portal.ts";
import { reviewMarket, submitted, transcriptOf } from "../helpers/review.ts";

const statusOf = async (owner: Person, slotId: string) => (await owner.get(`/slots/${slotId}`)).body.data.slot.status;
const earned = async (who: Person) => (await who.get("/playtester/earnings")).body.data.balanceCents as number;
const momentsOf = async (owner: Person, slotId: string) =>
  (await owner.get(`/slots/${slotId}/moments`)).body.data.moments as Record<string, unknown>[];

onBothDatabases("review page", (serve) => {
  async function waiting(more: Partial<Parameters<typeof submitted>[2]> = {}) {
    const server = await serve();
    const { owner, gameId } = await reviewMarket(server);
    const playtester = await registerPlaytester(server, "Ann <b>");
    const slotId = await submitted(server, owner, { gameId, playtester, ...more });
    const browser = await signedIn(server, owner, "/studio");
    return { server, owner, gameId, playtester, slotId, browser, path: `/studio/slots/${slotId}` };
  }
  const fieldsOn = async (browser: Visitor, path: string, action: string) =>
    hiddenFields((await browser.get(path)).html, `${path}/${action}`);

  it("the sample transcript of a demo is marked as one, and what its owner uploads is not", async () => {
    const server = await serve({ transcriber: sampleTranscriber });
    const { owner, gameId } = await reviewMarket(server);
    const slotId = await submitted(server, owner, { gameId });
    await server.advance(0);
    const browser = await signedIn(server, owner, "/studio");
    const marks = async () => {
      const { html } = await browser.get(`/studio/slots/${slotId}`);
      return [html.includes("This is a sample transcript."), /Takeaways <span class="badge">Simulated/.test(html)];
    };
    expect(await marks()).toEqual([true, true]);
    await owner.putSlotTranscript({ params: { id: slotId }, body: { vtt: transcriptOf(["Is this a door?"]) } });
    expect(await marks()).toEqual([false, true]);
  });

  describe("accepting", () => {
    it("asks once more with the amount, then pays once, however often the form is sent", async () => {
      const { owner, playtester, slotId, browser, path } = await waiting();
      const fields = { ...(await fieldsOn(browser, path, "accept")), rating: "4", comment: "It's <good>" };
      const asked = await browser.send(`${path}/accept`, fields);
      expect(asked.status).toBe(200);
      expect(asked.html).toContain("<strong>$10.00</strong>");
      expect(asked.html).toContain("Your rating: 4 of 5.");
      expect(asked.html).toContain(
        `playtest review accept ${slotId} --rating 4 --comment &#39;It&#39;\\&#39;&#39;s &lt;good&gt;&#39;`,
      );
      expect(await statusOf(owner, slotId)).toBe("submitted");
      const sure = hiddenFields(asked.html, `${path}/accept`);
      const replies = await Promise.all([1, 2, 3].map(() => browser.send(`${path}/accept`, sure)));
      expect(replies.map(({ status }) => status).filter((status) => status !== 409)).toContain(303);
      expect(await browser.send(`${path}/accept`, sure)).toMatchObject({ status: 303, location: `${path}?done=accepted` });
      expect(await earned(playtester)).toBe(1000);
      expect((await owner.get(`/slots/${slotId}`)).body.data.slot.rating).toEqual({ score: 4, comment: "It's <good>" });
      expect((await browser.get(`${path}?done=accepted`)).html).toContain("4 of 5");
    });

    it("a slot that was decided elsewhere stays as it is", async () => {
      const { owner, playtester, slotId, browser, path } = await waiting();
      const fields = await fieldsOn(browser, path, "accept");
      await owner.post(`/slots/${slotId}/reject`);
      expect((await browser.send(`${path}/accept`, { ...fields, confirmed: "yes" })).status).toBe(409);
      expect([await statusOf(owner, slotId), await earned(playtester)]).toEqual(["rejected", 0]);
    });
  });

  describe("rejecting", () => {
    it.each([
      { allowRetry: "", done: "rejected", offers: 0 },
      { allowRetry: "yes", done: "retry", offers: 1 },
    ])("asks once more, then tells the reason; allowRetry %j", async ({ allowRetry, done, offers }) => {
      const { owner, playtester, slotId, browser, path } = await waiting();
      const fields = { ...(await fieldsOn(browser, path, "reject")), reason: "No sound.", allowRetry };
      const asked = await browser.send(`${path}/reject`, fields);
      expect(asked.html).toContain("No sound.");
      expect(await statusOf(owner, slotId)).toBe("submitted");
      const reply = await browser.send(`${path}/reject`, hiddenFields(asked.html, `${path}/reject`));
      expect(reply.location).toBe(`${path}?done=${done}`);
      expect((await owner.get(`/slots/${slotId}`)).body.data.slot.rejection.reason).toBe("No sound.");
      const held = (await playtester.get("/playtester/slots")).body.data.slots as { status: string }[];
      expect(held.filter(({ status }) => status === "reserved")).toHaveLength(offers);
      expect((await browser.get(path)).html).toContain("No sound.");
    });
  });

  describe("moments", () => {
    const typed = {
      position: "0:02.5 - 0:04",
      text: "Lost <here>",
      kind: "confusion",
      severity: "2",
      tags: "Map, onboarding map",
    };

    it("are noted once, listed, changed and deleted by plain forms", async () => {
      const { owner, slotId, browser, path } = await waiting();
      const fields = { ...(await fieldsOn(browser, path, "moments")), ...typed };
      for (let sent = 0; sent < 2; sent++)
        expect(await browser.send(`${path}/moments`, fields)).toMatchObject({
          status: 303,
          location: expect.stringContaining(`${path}?done=noted#moment-`),
        });
      const [moment, ...others] = await momentsOf(owner, slotId);
      expect(others).toEqual([]);
      expect(moment).toMatchObject({ atMs: 2500, endMs: 4000, kind: "confusion", severity: 2, tags: ["map", "onboarding"] });
      const listed = (await browser.get(path)).html;
      expect(listed).toContain(`<a class="at" href="?t=2s#player" data-at="2500">0:02–0:04</a>`);
      expect(listed).toContain("Lost &lt;here&gt;");
      const editPath = `${path}?edit=${moment!.id}`;
      const editing = (await browser.get(editPath)).html;
      expect(editing).toContain(`value="0:02.5-0:04"`);
      const change = { ...hiddenFields(editing, `${path}/moments/change`), ...typed, position: "0:03", severity: "" };
      await browser.send(`${path}/moments/change`, change);
      expect((await momentsOf(owner, slotId))[0]).toMatchObject({ atMs: 3000, endMs: null, severity: null });
      const gone = hiddenFields((await browser.get(editPath)).html, `${path}/moments/delete`);
      expect((await browser.send(`${path}/moments/delete`, gone)).location).toBe(`${path}?done=deleted#moments`);
      expect(await momentsOf(owner, slotId)).toEqual([]);
    });

    it.each([
      { field: "position", value: "soon", says: "must be a position in the video" },
      { field: "position", value: "0:09-0:02", says: "must end after it starts" },
      { field: "tags", value: "so_so", says: "must be lowercase words joined by hyphens" },
      { field: "position", value: "2:00:00", says: "" },
    ])("keep what was typed when $field is $value", async ({ field, value, says }) => {
      const { owner, slotId, browser, path } = await waiting();
      const fields = { ...(await fieldsOn(browser, path, "moments")), ...typed, [field]: value };
      const reply = await browser.send(`${path}/moments`, fields);
      expect([reply.status, reply.html]).toEqual([422, expect.stringContaining(says)]);
      expect(reply.html).toContain(`value="${value}"`);
      expect(reply.html).toContain("Lost &lt;here&gt;</textarea>");
      expect(await momentsOf(owner, slotId)).toEqual([]);
    });

    it("are listed page by page when there are many", async () => {
      const { owner, slotId, browser, path } = await waiting();
      for (let at = 0; at < 51; at++) await owner.post(`/slots/${slotId}/moments`, { atMs: at * 10, text: `moment-${at}.` });
      const first = (await browser.get(path)).html;
      expect([first.includes("moment-49."), first.includes("moment-50.")]).toEqual([true, false]);
      const next = /href="([^"]*)">Later moments/.exec(first)![1]!.replaceAll("&amp;", "&");
      const second = (await browser.get(next)).html;
      expect([second.includes("moment-49."), second.includes("moment-50.")]).toEqual([false, true]);

      // What is saved is on the page that is shown then, wherever it was typed and wherever in the list it is.
      const saved = async (from: string, action: string, fields: Record<string, string>) => {
        const form = hiddenFields((await browser.get(from)).html, `${path}/moments${action}`);
        const { location } = await browser.send(`${path}/moments${action}`, { ...typed, ...form, ...fields });
        const { html } = await browser.get(location!);
        return html.includes(`<li id="${new URL(location!, "http://a").hash.slice(1)}">`) && html.includes(fields.text!);
      };
      expect(await saved(path, "", { position: "0:09", text: "Late" })).toBe(true);
      expect(await saved(next, "", { position: "0:10", text: "Later" })).toBe(true);
      expect(await saved(next, "", { position: "0:00.005", text: "Early" })).toBe(true);
      const { id } = (await momentsOf(owner, slotId))[0]!;
      expect(await saved(`${path}?edit=${id}`, "/change", { position: "0:11", text: "Moved" })).toBe(true);
    });

    it("can be 5,000, of which a page shows some and a share all", async () => {
      const { server, owner, slotId, browser, path } = await waiting();
      const first = (await owner.post(`/slots/${slotId}/moments`, { atMs: 1, text: "The door" })).body.data.moment;
      const sql = `INSERT INTO moments (id, slot_id, playtest_id, game_id, owner_id, author_id, at_ms, kind, body, tags, created_at, updated_at)
        WITH RECURSIVE counted (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < 4999)
        SELECT substr(id, 1, 24) || substr(CAST(1000000000000 + n AS TEXT), 2), slot_id, playtest_id, game_id, owner_id, author_id, n,
          kind, body, tags, created_at, updated_at FROM moments CROSS JOIN counted WHERE id = ?`;
      await server.deps.store.write((tx) => tx.run(sql, first.id));
      const note = async (atMs: number) => (await owner.post(`/slots/${slotId}/moments`, { atMs, text: "The door" })).status;
      expect([await note(5000), await note(5001)]).toEqual([201, 409]);
      const { html } = await browser.get(path);
      expect([html.split('<li id="moment-').length - 1, html.length < 100_000]).toEqual([50, true]);
      const { url } = (await owner.post(`/slots/${slotId}/shares`, { withNotes: true })).body.data.share;
      expect((await (await fetch(url)).text()).split("<tr><td>").length - 1).toBe(5000);
    });
  });

  describe("the page", () => {
    it("shows the first cues of a long transcript with a link to the rest, and all of them as JSON", async () => {
      const texts = Array.from({ length: 450 }, (_, at) => `said-${at}.`);
      const { browser, path } = await waiting({ transcript: transcriptOf(texts) });
      const first = (await browser.get(path)).html;
      expect(first).toContain(`<a href="?t=1m1s#player" data-at="61000" data-end="62000"><time>1:01</time> said-61.</a>`);
      expect([first.includes("said-199."), first.includes("said-200.")]).toEqual([true, false]);
      const second = (await browser.get(`${path}?cue=200`)).html;
      expect([second.includes("said-199."), second.includes("said-200.")]).toEqual([false, true]);
      const around = (await browser.get(`${path}?t=7m0s`)).html;
      expect(around).toContain(`/video#t=420"`);
      expect(around).toContain("said-420.");
      const cues = JSON.parse((await browser.get(`${path}/cues`)).html);
      expect([cues.length, cues[61]]).toEqual([450, [61_000, 62_000, "said-61."]]);
    });

    it("leads through the submissions that wait, the oldest first", async () => {
      const { server, owner, gameId, slotId, browser, path } = await waiting();
      await server.advance(1000);
      const second = await submitted(server, owner, { gameId });
      expect((await browser.get(path)).html).toContain(`rel="next" href="/studio/slots/${second}"`);
      expect((await browser.get(`/studio/slots/${second}`)).html).toContain(`rel="prev" href="/studio/slots/${slotId}"`);
      await owner.post(`/slots/${slotId}/accept`);
      expect((await browser.get(path)).html).toContain(`rel="next" href="/studio/slots/${second}"`);
      await owner.post(`/slots/${second}/accept`);
      expect((await browser.get(path)).html).toContain("Nothing else waits for review.");
    });

    it("sends a message to the playtester", async () => {
      const { owner, playtester, slotId, browser, path } = await waiting();
      expect((await browser.get(path)).html).toContain(
        "You can write to Ann &lt;b&gt; when you have accepted one of their videos.",
      );
      await owner.post(`/slots/${slotId}/accept`);
      const fields = await fieldsOn(browser, path, "message");
      for (let sent = 0; sent < 2; sent++)
        expect((await browser.send(`${path}/message`, { ...fields, content: "Thank you!" })).location).toBe(`${path}?done=sent`);
      const [contact] = (await playtester.get("/chat/contacts")).body.data.contacts;
      expect(contact).toMatchObject({ unreadCount: 1, lastMessagePreview: "Thank you!" });
    });
  });

  it.each(["accept", "reject", "message", "moments", "moments/change", "moments/delete"])(
    "the form %s is refused without the token of the session, and to another owner",
    async (action) => {
      const { server, owner, slotId, browser, path } = await waiting();
      const sent = { position: "1", text: "x", content: "x", confirmed: "yes", moment: slotId };
      expect((await browser.send(`${path}/${action}`, { ...sent, csrf: "wrong", formKey: "k" })).status).toBe(403);
      const stranger = await signedIn(server, await registerOwner(server), "/studio");
      const own = hiddenFields((await stranger.get("/studio")).html, "/studio/sign-out");
      expect((await stranger.send(`${path}/${action}`, { ...sent, ...own })).status).toBe(404);
      for (const part of ["", "/cues"]) expect((await stranger.get(`${path}${part}`)).status).toBe(404);
      expect([await statusOf(owner, slotId), await momentsOf(owner, slotId)]).toEqual(["submitted", []]);
    },
  );

  describe("comparison", () => {
    it("shows the chosen videos of one playtest and nobody else's", async () => {
      const { server, owner, gameId, slotId, browser } = await waiting();
      const playtestId = (await owner.get(`/slots/${slotId}`)).body.data.slot.requestId;
      const path = `/studio/playtests/${playtestId}/compare`;
      expect((await browser.get(path)).html).toContain("Ann &lt;b&gt;");
      const shown = (await browser.get(`${path}?slots=${slotId}`)).html;
      expect(shown).toContain(`src="/studio/slots/${slotId}/video"`);
      const other = await submitted(server, owner, { gameId });
      expect((await browser.get(`${path}?slots=${other}`)).html).not.toContain("<video");
      const empty = `/studio/playtests/${await order(owner, gameId)}/compare`;
      expect((await browser.get(empty)).html).toContain("No video was submitted for this playtest yet.");
      const stranger = await signedIn(server, await registerOwner(server), "/studio");
      expect((await stranger.get(`${path}?slots=${slotId}`)).status).toBe(404);
    });
  });
});
