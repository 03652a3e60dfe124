import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import { reviewMarket, submitted } from "../helpers/review.ts";

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
    const changed = await browser.submit(page, page, { title: "Dark", kind: "bug", severity: "4", status: "filed" });
    expect(changed.location).toBe(`${page}?done=saved`);
    expect((await browser.get(list)).html).toMatch(/#1 Dark.*1 of 1 playtesters.*bug · severity 4 · filed · first at 0:00/s);
    const removed = await browser.submit(page, `${page}/evidence/remove`);
    expect([removed.location, (await browser.get(page)).html.includes("#t=0s")]).toEqual([`${page}?done=removed`, false]);
  });

  it("are merged by number, which must be one of the game's, and put back", async () => {
    const { browser, create } = await market();
    const [one, two] = [await create("One"), await create("Two")];
    const refused = await browser.submit(one, `${one}/merge`, { number: "9" });
    expect([refused.status, /must be that of a finding of this game/i.test(refused.html)]).toEqual([422, true]);
    expect((await browser.submit(one, `${one}/merge`, { number: "#2" })).location).toBe(`${one}?done=merged`);
    expect((await browser.get(two)).html).toContain("merged into another finding");
    expect((await browser.submit(two, `${two}/undo`)).location).toBe(`${two}?done=undone`);
    expect((await browser.get(two)).html).not.toContain("merged into another finding");
  });

  it("belong to their owner: nobody else sees the page", async () => {
    const { server, create } = await market();
    const page = await create("One");
    const other = await reviewMarket(server);
    const browser = await signedIn(server, other.owner, "/studio");
    expect((await browser.get(page)).status).toBe(404);
  });
});
