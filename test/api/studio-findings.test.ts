import { expect, it } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";
import { reviewMarket, submitted } from "../helpers/review.ts";
import { startTrackers } from "../helpers/trackers.ts";

onBothDatabases("findings in Studio", (serve) => {
  async function market() {
    const server = await serve();
    const { owner, gameId } = await reviewMarket(server);
    const slotId = await submitted(server, owner, { gameId, playtester: await registerPlaytester(server, "Ann") });
    const browser = await signedIn(server, owner, "/studio");
    const list = `/studio/games/${gameId}/findings`;
    const create = async (title: string) => (await browser.submit(list, list, { title })).location!;
    return { server, owner, gameId, slotId, browser, list, create };
  }

  it("are created, changed and listed by rank, with links to the seconds that show them", async () => {
    const { owner, slotId, browser, list, create } = await market();
    expect((await browser.get(list)).html).toContain("No findings yet.");
    const page = await create("Nobody finds <the> lantern");
    const id = page.split("/").at(-1)!;
    await owner.post(`/findings/${id}/evidence`, { slotId, fromMs: 0 });
    const { html } = await browser.get(page);
    expect(html).toContain("#1 Nobody finds &lt;the&gt; lantern");
    expect(html).toContain(`href="/studio/slots/${slotId}#t=0s">0:00</a>`);
    const opened = hiddenFields((await browser.get(page)).html, page);
    const changed = await browser.submit(page, page, { title: "Dark", kind: "bug", severity: "4", status: "filed" });
    expect(changed.location).toBe(`${page}?done=saved`);
    // Who opened the page before undoes nothing, and is told of what both changed.
    const late = { ...opened, title: "Nobody finds <the> lantern", kind: "note", severity: "", status: "open" };
    expect((await browser.send(page, { ...late, kind: "idea" })).html).toContain("The kind</a>: was changed to “bug” elsewhere");
    await browser.send(page, { ...late });
    expect((await browser.get(list)).html).toMatch(
      /Filed <span class="soft">1<.*#1 Dark.*1 of 1 playtesters.*bug · severity 4 · first at 0:00/s,
    );
    expect((await browser.get(page)).html).toMatch(
      new RegExp(`<strong>Ann</strong> at <a href="/studio/slots/${slotId}#t=0s">0:00`),
    );
    const removed = await browser.submit(page, `${page}/evidence/remove`);
    expect([removed.location, (await browser.get(page)).html.includes("#t=0s")]).toEqual([`${page}?done=removed`, false]);
  });

  it("are created for a moment, and not where it belongs to another", async () => {
    const { owner, slotId, browser, list } = await market();
    const { moment } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 0, text: "Lost" })).body.data;
    const page = `/studio/slots/${slotId}`;
    const same = (number: string) => browser.submit(page, `${page}/findings`, { evidence: moment.id, number });
    expect((await same("Nobody finds the lantern")).location).toBe(`${page}?done=same#findings`);
    expect((await browser.get(list)).html).toContain("1 of 1 playtesters");
    expect((await same("The lantern is dark")).html).toContain("This moment is evidence of #1 already. Nothing was added.");
    expect((await browser.get(list)).html).not.toContain("The lantern is dark");
  });

  it("stand in a column for each status, and move from one to another, back to the board as it was filtered", async () => {
    const { browser, list, create } = await market();
    const id = (await create("Dark")).split("/").at(-1)!;
    await create("Slow");
    const columns = async (query = "") =>
      [
        ...(await browser.get(`${list}${query}`)).html.matchAll(
          /<h2>([^<]+) <span class="soft">(\d+)<\/span><\/h2>\s*<ul>(.*?)<\/ul>/gs,
        ),
      ].map(([, title, count, cards]) =>
        [title, count, ...cards!.matchAll(/#\d+ (\w+)<\/a>/g)].map((one) => (typeof one === "object" ? one[1] : one)),
      );
    expect(await columns()).toEqual([
      ["Open", "2", "Dark", "Slow"],
      ["Filed", "0"],
      ["Fixed", "0"],
      ["Verified", "0"],
      ["Won&#39;t fix", "0"],
    ]);
    const moved = await browser.submit(`${list}?kind=note`, `${list}/move?kind=note`, { finding: id, status: "fixed" });
    expect(moved.location).toBe(`${list}?kind=note&done=moved`);
    expect((await browser.get(moved.location!)).html).toContain("The finding was moved.");
    expect((await columns()).slice(0, 3)).toEqual([
      ["Open", "1", "Slow"],
      ["Filed", "0"],
      ["Fixed", "1", "Dark"],
    ]);
    expect(await columns("?status=fixed")).toEqual([["Fixed", "1", "Dark"]]);
    const refused = await browser.submit(list, `${list}/move`, { finding: id, status: "gone" });
    expect([refused.status, await columns("?status=fixed")]).toEqual([422, [["Fixed", "1", "Dark"]]]);
  });

  it("are filed as an issue, in a place that the form checks", async () => {
    const { server, owner, browser, create } = await market();
    const trackers = await startTrackers(server.clock.now);
    server.deps.config.webhooks.allowPrivate = ["127.0.0.0/8"];
    const early = (await browser.get(await create("Slow"))).html;
    expect([early.includes("No tracker is connected"), early.includes("Tracker and place in it")]).toEqual([true, false]);
    await owner.post("/trackers/connect", { tracker: "github", token: "t", site: trackers.url });
    const page = await create("Nobody finds the lantern");
    const offered = (await browser.get(page)).html;
    expect(offered).toContain(
      "<li>GitHub: <code>github:</code> and owner/repository, such as <code>github:acme/lantern</code></li>",
    );
    expect(offered).not.toContain("Jira");
    for (const [to, message] of [
      ["trello:x", /must be a tracker and a place in it, such as github:/i],
      ["github:x", /must be .* such as /i],
      ["jira:LANT", /Jira is not connected.*Connect it with <code>playtest findings connect jira<\/code>\./],
    ] as const) {
      const { status, html } = await browser.submit(page, `${page}/issue`, { to });
      expect([to, status >= 400, message.test(html)]).toEqual([to, true, true]);
    }
    expect((await browser.submit(page, `${page}/issue`, { to: "github:acme/lantern" })).location).toBe(`${page}?done=filed`);
    await server.advance(0);
    expect((await browser.get(page)).html).toMatch(/Issue: <a href="[^"]+"[^>]*>GitHub acme\/lantern #1<\/a>, open/);
  });

  it("are cut into a reel, which is listed with the clips of its first video; without ffmpeg the page says so", async () => {
    const { server, owner, slotId, browser, create } = await market();
    const page = await create("Nobody finds the lantern");
    const id = page.split("/").at(-1)!;
    expect((await browser.get(page)).html).not.toContain("Cut a reel");
    await owner.post(`/findings/${id}/evidence`, { slotId, fromMs: 0 });
    const without = (await browser.get(page)).html;
    expect(without).toContain("This server cannot cut clips and still images.");
    expect(without).not.toContain("Cut a reel");
    server.deps.cutter = createFfmpegCutter({
      ...server.deps.config.clips,
      ffmpeg: ["/bin/sh", "-c", 'for output; do :; done; echo cut > "$output"', "ffmpeg"],
    });
    const { location } = await browser.submit(page, `${page}/reel`, { captions: "yes" });
    expect(location).toBe(`/studio/slots/${slotId}?done=clipped#clips`);
    const { clip } = { clip: (await owner.get(`/slots/${slotId}/clips`)).body.data.clips[0] };
    expect(clip).toMatchObject({ name: "#1 Nobody finds the lantern", parts: [{ slotId, title: "Nobody finds the lantern" }] });
    expect((await browser.get(`/studio/slots/${slotId}`)).html).toContain("reel of 1 part, 0:10");
    await server.advance(0);
  });

  it("give highlights a reel of their playtest, and none to their game", async () => {
    const { server, owner, gameId, slotId, browser } = await market();
    await owner.post(`/slots/${slotId}/moments`, { atMs: 2000, kind: "bug", text: "It froze." });
    const playtest = (await owner.get(`/slots/${slotId}`)).body.data.slot.requestId;
    const pages = [`/studio/playtests/${playtest}/highlights`, `/studio/games/${gameId}/highlights`];
    const htmls = await Promise.all(pages.map(async (page) => (await browser.get(page)).html));
    expect(
      htmls.map((html) => [html.includes("your note"), html.includes("cannot cut clips"), html.includes("Cut a reel")]),
    ).toEqual([
      [true, true, false],
      [true, false, false],
    ]);
    server.deps.cutter = createFfmpegCutter({
      ...server.deps.config.clips,
      ffmpeg: ["/bin/sh", "-c", 'for output; do :; done; echo cut > "$output"', "ffmpeg"],
    });
    expect((await browser.submit(pages[0]!, `${pages[0]}/reel`)).location).toBe(`/studio/slots/${slotId}?done=clipped#clips`);
    await server.advance(0);
  });

  it("are merged by number, which must be one of the game's, and put back", async () => {
    const { browser, create } = await market();
    const [one, two] = [await create("One"), await create("Two")];
    const undo = "Undo the last merge or split";
    expect((await browser.get(one)).html).not.toContain(undo);
    const refused = await browser.submit(one, `${one}/merge`, { number: "9" });
    expect([refused.status, /must be that of a finding of this game/i.test(refused.html)]).toEqual([422, true]);
    const itself = (await browser.submit(one, `${one}/merge`, { number: "1" })).html;
    expect(itself).toContain('<a href="#finding-number">The number</a>: must be another finding.');
    expect(itself).toContain('id="finding-number-fault">Must be another finding.');
    expect((await browser.submit(one, `${one}/merge`, { number: "#2" })).location).toBe(`${one}?done=merged`);
    expect((await browser.get(two)).html).toContain("merged into another finding");
    expect((await browser.get(one)).html).toContain(undo);
    expect((await browser.submit(two, `${two}/undo`)).location).toBe(`${two}?done=undone`);
    expect((await browser.get(two)).html).not.toContain("merged into another finding");
  });

  it("are chosen by status, kind, severity, tag and build, in an address that can be kept", async () => {
    const { owner, gameId, slotId, browser, list } = await market();
    const builds = (await owner.get(`/games/${gameId}/builds`)).body.data.builds as { id: string }[];
    for (const body of [
      { title: "It crashes", kind: "bug", severity: 4, tags: ["boss-fight"] },
      { title: "Nobody sees the lantern", kind: "confusion", severity: 2, status: "filed" },
    ]) {
      const { finding } = (await owner.post(`/games/${gameId}/findings`, body)).body.data;
      if (body.kind === "bug") await owner.post(`/findings/${finding.id}/evidence`, { slotId, fromMs: 0 });
    }
    const shown = async (query: string) =>
      [...(await browser.get(`${list}?${query}`)).html.matchAll(/#\d+ ([^<]+)<\/a>/g)].map(([, title]) => title);
    const [crash, lantern] = ["It crashes", "Nobody sees the lantern"];
    const rows: [string, string[]][] = [
      ["", [crash, lantern]],
      ["status=open", [crash]],
      ["status=filed&kind=confusion&severity=&tag=", [lantern]],
      ["kind=bug&status=filed", []],
      ["severity=2", [lantern]],
      ["tag=Boss+fight", [crash]],
      [`build=${builds[0]?.id ?? ""}`, [crash]],
      ["status=nonsense&severity=9", [crash, lantern]],
    ];
    for (const [query, titles] of rows) expect([query, await shown(query)]).toEqual([query, titles]);
    const { html } = await browser.get(`${list}?status=filed&tag=x%22%3E`);
    expect(html).toMatch(/<option value="filed" selected>/);
    expect(html).toContain("No finding is like this.");
    expect(html).toContain('name="tag" maxlength="50" autocomplete="off" value="x"');
  });

  it("belong to their owner: nobody else sees the page", async () => {
    const { server, create } = await market();
    const page = await create("One");
    const other = await reviewMarket(server);
    const browser = await signedIn(server, other.owner, "/studio");
    expect((await browser.get(page)).status).toBe(404);
  });
});
