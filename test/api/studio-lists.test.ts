import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, order, ownerWithGame } from "../helpers/factories.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";
import { insertRows } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";

/** More than a form lists. */
const many = 101;
const numbered = <Row>(make: (n: number) => Row): Row[] => Array.from({ length: many }, (_, n) => make(n));

/** What is chosen in the field with this id. */
function chosenIn(html: string, id: string): string | undefined {
  const select = new RegExp(`<select id="${id}".*?</select>`, "s").exec(html)![0];
  return /<option value="[^"]*" selected>([^<]*)/.exec(select)?.[1];
}

onBothDatabases("forms of Studio that cannot list everything", (_serve, it) => {
  async function scene(server: TestServer) {
    const { owner, gameId } = await ownerWithGame(server, 1_000_000, "Hearth & Co");
    return { owner, gameId, browser: await signedIn(server, owner, "/studio") };
  }

  it("statistics: of the game that was chosen, also where it is not among the newest", async ({ server }) => {
    const { owner, gameId, browser } = await scene(server);
    const { name } = (await owner.getGame({ params: { id: gameId } })).game;
    const at = `/studio/stats?game=${gameId}`;
    expect((await browser.get(`/studio/games/${gameId}`)).html).toContain(`href="${at}"`);
    const said = "Only the 100 newest games are listed. Open the statistics of another one from its page.";
    expect((await browser.get(at)).html).not.toContain(said);
    for (let n = 1; n < many; n++) await createGame(owner, { name: `Game ${n}` });
    const { html } = await browser.get(at);
    expect([chosenIn(html, "game"), html.includes(said)]).toEqual([name, true]);
  });

  it("findings: of the build that was chosen, also where it is not among the newest", async ({ server }) => {
    const { gameId, browser } = await scene(server);
    const at = server.clock.now();
    const build = (n: number) => ({
      id: server.deps.newId(),
      game_id: gameId,
      build_url: "",
      version: `1.${n}`,
      created_at: at + n,
    });
    const builds = numbered(build);
    await server.deps.store.write((tx) => insertRows(tx, "builds", builds));
    const said = "Only the 100 newest builds are listed.";
    const oldest = await browser.get(`/studio/games/${gameId}/findings?build=${builds[0]!.id}`);
    expect([chosenIn(oldest.html, "only-build"), oldest.html.includes(said)]).toEqual(["1.0", true]);
    const unknown = await browser.get(`/studio/games/${gameId}/findings?build=${server.deps.newId()}`);
    expect(chosenIn(unknown.html, "only-build")).toBe("The build that was chosen");
  });

  it("an order: for the playtester who was chosen, also where others are listed", async ({ server }) => {
    const { owner, gameId, browser } = await scene(server);
    const said = "Only 100 of your past playtesters are listed.";
    expect((await browser.get("/studio/order")).html).not.toContain(said);
    const playtests = [await order(owner, gameId, { quantity: 100 }), await order(owner, gameId)];
    const testers = numbered((n) => ({ id: server.deps.newId(), display_name: `Tester ${n}` }));
    const account = { role: "playtester", company_name: "", password_hash: "!", created_at: 1, updated_at: 1 };
    await server.deps.store.write(async (tx) => {
      const users = testers.map((one) => ({ ...one, ...account, email: one.id, email_key: one.id }));
      await insertRows(tx, "users", users);
      const slots = await tx.all<{ id: string }>("SELECT id FROM slots WHERE playtest_id IN (?, ?) ORDER BY id", ...playtests);
      for (const [n, { id }] of slots.entries())
        await tx.run(
          "UPDATE slots SET playtester_id = ?, status = 'reserved', created_at = ? WHERE id = ?",
          testers[n]!.id,
          n,
          id,
        );
    });
    const { html } = await browser.get("/studio/order");
    expect([html.includes(said), html.includes("Only Tester 100"), html.includes("Only Tester 0<")]).toEqual([true, true, false]);
    const fields = { gameId, visibility: "private", quantity: "1", playerCount: "1", minutes: "60", method: "any" };
    const priceFor = async (audience: string) => {
      const priced = await browser.submit("/studio/order", "/studio/order/price", { ...fields, audience });
      hiddenFields(priced.html, "/studio/order/price");
      return chosenIn(priced.html, "audience");
    };
    expect(await priceFor(testers[0]!.id)).toBe("Only Tester 0");
    expect(await priceFor(server.deps.newId())).toBe("Only the playtester who was chosen");
    expect(await priceFor("past-owner")).toBe("Playtesters with an accepted video of one of your games");
  });

  it("budgets: with the names of all API keys", async ({ server }) => {
    const { owner, browser } = await scene(server);
    const key = { user_id: owner.id, prefix: "pt_sk_0000", scopes: '["billing"]' };
    const keys = numbered((n) => ({ id: server.deps.newId(), name: `key ${n}`, hash: `${n}`, ...key, created_at: n }));
    await server.deps.store.write((tx) => insertRows(tx, "api_keys", keys));
    await owner.setBudget({ body: { keyId: keys[0]!.id, period: "day", limitCents: 5000 } });
    expect((await browser.get("/studio/approvals")).html).toContain("the API key key 0");
  });
});
