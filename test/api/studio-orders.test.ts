import { describe, expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, giveMinutes, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { hiddenFields, signedIn, type Visitor } from "../helpers/portal.ts";

const at = "/studio/order";
const plainText = (html: string) =>
  html
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .replaceAll("&#39;", "'");
const alertIn = (html: string) =>
  plainText([...html.matchAll(/role="alert"[^>]*>(.*?)<\/div>/gs)].map(([, text]) => text!)[0] ?? "").trim();

onBothDatabases("orders in Studio", (serve) => {
  async function scene(cents = 20_000, change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await registerOwner(server, "Hearth & Co");
    if (cents > 0) await giveCredit(server, owner, cents);
    const gameId = await createGame(owner, { name: "Lantern Deep" });
    return { server, owner, gameId, browser: await signedIn(server, owner, "/studio") };
  }

  const basic = (gameId: string) => ({
    gameId,
    visibility: "private",
    quantity: "2",
    playerCount: "1",
    minutes: "60",
    selection: "automatic",
    method: "any",
  });

  /** Shows the price, then orders from that page. */
  async function buy(browser: Visitor, fields: Record<string, string>) {
    const priced = await browser.submit(at, `${at}/price`, fields);
    const hidden = hiddenFields(priced.html, `${at}/price`);
    return { priced, place: () => browser.send(at, { ...hidden, ...fields }) };
  }

  it("shows the price, what pays for it and the command, then orders it once", async () => {
    const { browser, owner, gameId } = await scene();
    const { priced, place } = await buy(browser, basic(gameId));
    const text = plainText(priced.html);
    expect(text).toContain("$40.00");
    expect(text).toContain("2 slots at $20.00");
    expect(text).toContain("Your credit pays for it: $200.00 now, $160.00 afterwards.");
    expect(text).toContain("Order 2 slots for $40.00");
    expect(text).toContain(`playtest order ${gameId} --quantity 2 --visibility private --duration-minutes 60 --max-cost 40.00`);
    const [first, second] = [await place(), await place()];
    expect(first.location).toMatch(/^\/studio\/playtests\/[0-9a-f-]+\?done=ordered$/);
    expect(second.location).toBe(first.location);
    expect((await owner.getBalance()).balanceCents).toBe(16_000);
    expect((await browser.get(first.location!)).html).toContain("The order was placed.");
  });

  it("names playtest hours on its button where they pay", async () => {
    const { browser, gameId, owner, server } = await scene(0);
    await giveMinutes(server, owner, 180);
    const { priced } = await buy(browser, basic(gameId));
    expect(plainText(priced.html)).toContain("Order 2 slots for 120 playtest minutes");
  });

  it("is for the game that was named, also where the owner has more games than the form lists", async () => {
    const { browser, owner, gameId } = await scene();
    for (let n = 0; n < 99; n++) await createGame(owner, { name: `Game ${n}` });
    const older = "Only the 100 newest games are listed. Order another one from its page.";
    const forms = async () =>
      (await Promise.all([browser.get(at), browser.get(`${at}/bulk`)])).map(({ html }) => html.includes(older));
    expect(await forms()).toEqual([false, false]);
    await createGame(owner, { name: "Game 99" });
    expect(await forms()).toEqual([true, true]);
    const { html } = await browser.get(`${at}?game=${gameId}`);
    expect(html).toContain('<option value="past-game">Playtesters with an accepted video of this game</option>');
    expect(html).toContain(`<option value="${gameId}" selected>Lantern Deep</option>`);
    const priced = await browser.submit(at, `${at}/price`, basic(gameId));
    expect(priced.html).toContain(`<option value="${gameId}" selected>Lantern Deep</option>`);
    expect((await browser.get(`${at}?game=${owner.id}`)).status).toBe(404);
  });

  it("sends everything that an order takes", async () => {
    const { browser, owner, gameId, server } = await scene();
    const ann = await registerPlaytester(server, "Ann");
    const slotId = await play(server, ann, await order(owner, gameId));
    await owner.post(`/slots/${slotId}/accept`);
    const fields = {
      ...basic(gameId),
      quantity: "1",
      minutes: "30",
      playerCount: "2",
      audience: ann.id,
      qualifications: "Has a gamepad",
      notes: "Try the cave.",
      keys: "AAAA\r\n\r\nBBBB\r\n",
      ref: "sprint 4",
    };
    const { priced, place } = await buy(browser, fields);
    expect(plainText(priced.html)).toContain(`--tester ${ann.id}`);
    const { location } = await place();
    const id = /playtests\/([^?]+)/.exec(location!)![1]!;
    expect((await owner.getPlaytest({ params: { id } })).playtest).toMatchObject({
      durationMinutes: 30,
      playerCount: 2,
      targetingType: "past",
      pastPlaytesterScope: "specific",
      targetedPlaytesterId: ann.id,
      qualifications: "Has a gamepad",
      notesForTesters: "Try the cave.",
      ref: "sprint 4",
    });
    expect((await owner.listPlaytestKeys({ params: { id } })).unused).toBe(2);
  });

  it.for<{ name: string; fields: Record<string, string>; says: string }>([
    { name: "keys that are too few", fields: { keys: "AAAA" }, says: "Game keys : must hold exactly 2 keys" },
    { name: "no number", fields: { quantity: "many" }, says: "Slots : must be a whole number." },
    { name: "too many slots", fields: { quantity: "101" }, says: "Slots :" },
    {
      name: "applications of one playtester",
      fields: { audience: "11111111-1111-4111-8111-111111111111", selection: "manual" },
      says: "Who chooses :",
    },
  ])("$name: is said at its field, and nothing is lost", async ({ fields, says }) => {
    const { browser, gameId } = await scene();
    const reply = await browser.submit(at, `${at}/price`, { ...basic(gameId), notes: "Try the cave.", ...fields });
    expect([reply.status, alertIn(reply.html)]).toEqual([422, expect.stringContaining(says)]);
    expect(reply.html).toContain("Try the cave.</textarea>");
  });

  it("an order whose price changed is not placed: the new price is shown", async () => {
    const { browser, owner, gameId } = await scene();
    const { priced } = await buy(browser, basic(gameId));
    const hidden = hiddenFields(priced.html, `${at}/price`);
    const reply = await browser.send(at, { ...hidden, ...basic(gameId), quantity: "3" });
    expect([reply.status, alertIn(reply.html)]).toEqual([200, "The price is now $60.00. Nothing was ordered."]);
    expect((await owner.getBalance()).balanceCents).toBe(20_000);
  });

  it.for<{ shown: string; change: "hours" | "credit"; says: string; after: string }>([
    {
      shown: "Your playtest hours pay for it: 120 of 120 minutes.",
      change: "hours",
      says: "60 playtest minutes are available, but 120 are required. Nothing was ordered or charged.",
      after: "Your credit pays for it: $200.00 now, $160.00 afterwards.",
    },
    {
      shown: "Your credit pays for it: $40.00 now, $0.00 afterwards.",
      change: "credit",
      says: "The balance is $20.00, but $40.00 is required. Nothing was ordered or charged.",
      after: "Your credit of $20.00 is $20.00 short.",
    },
  ])("an order that something else would pay for by now is not placed: $change", async ({ shown, change, says, after }) => {
    const { browser, owner, gameId, server } = await scene(change === "hours" ? 20_000 : 4000);
    if (change === "hours") await giveMinutes(server, owner, 120);
    const { priced, place } = await buy(browser, basic(gameId));
    expect(plainText(priced.html)).toContain(shown);
    await order(owner, gameId, { visibility: "private", durationMinutes: 60 });
    const refused = await place();
    expect([refused.status, alertIn(refused.html)]).toEqual([200, says]);
    expect(plainText(refused.html)).toContain(after);
    expect((await owner.listPlaytests({ params: { gameId } })).playtests).toHaveLength(1);
  });

  it("an order that hours could pay by now is paid as was shown", async () => {
    const { browser, owner, gameId, server } = await scene();
    const { place } = await buy(browser, basic(gameId));
    await giveMinutes(server, owner, 600);
    expect((await place()).location).toContain("?done=ordered");
    expect(await owner.getBalance()).toMatchObject({ balanceCents: 16_000, playtestMinutes: 600 });
  });

  it("an order for which another way to pay was chosen after its price was shown is not placed", async () => {
    const { browser, owner, gameId, server } = await scene();
    await giveMinutes(server, owner, 600);
    const { priced } = await buy(browser, basic(gameId));
    const fields = { ...hiddenFields(priced.html, `${at}/price`), ...basic(gameId), method: "credit" };
    const refused = await browser.send(at, fields);
    expect(alertIn(refused.html)).toBe("The way to pay has changed since the price was shown. Nothing was ordered.");
    const again = { ...fields, ...hiddenFields(refused.html, `${at}/price`) };
    expect((await browser.send(at, again)).location).toContain("?done=ordered");
    expect(await owner.getBalance()).toMatchObject({ balanceCents: 16_000, playtestMinutes: 600 });
  });

  it("an order that took the last hours is not placed again by a second click", async () => {
    const { browser, owner, gameId, server } = await scene();
    await giveMinutes(server, owner, 120);
    const { place } = await buy(browser, basic(gameId));
    const [first, second] = [await place(), await place()];
    expect([second.status, second.location]).toEqual([303, first.location]);
    expect(await owner.getBalance()).toMatchObject({ balanceCents: 20_000, playtestMinutes: 0 });
  });

  it.for<{ method: string; minutes: number; cents: number; says: string; paid?: { minutes: number; cents: number } }>([
    {
      method: "any",
      minutes: 600,
      cents: 20_000,
      says: "Your playtest hours pay for it: 120 of 600 minutes.",
      paid: { minutes: 120, cents: 0 },
    },
    {
      method: "hours",
      minutes: 600,
      cents: 0,
      says: "Your playtest hours pay for it: 120 of 600 minutes.",
      paid: { minutes: 120, cents: 0 },
    },
    {
      method: "credit",
      minutes: 600,
      cents: 20_000,
      says: "Your credit pays for it: $200.00 now, $160.00 afterwards.",
      paid: { minutes: 0, cents: 4000 },
    },
    { method: "credit", minutes: 600, cents: 2000, says: "Your credit of $20.00 is $20.00 short." },
    { method: "hours", minutes: 60, cents: 20_000, says: "It takes 120 minutes of your playtest hours, and you have 60." },
    { method: "card", minutes: 600, cents: 20_000, says: "You pay $40.00 by card.", paid: { minutes: 0, cents: 0 } },
  ])("paid with $method, of $minutes minutes and $cents cents: $says", async ({ method, minutes, cents, says, paid }) => {
    const { browser, owner, gameId, server } = await scene(cents);
    await giveMinutes(server, owner, minutes);
    const { priced, place } = await buy(browser, { ...basic(gameId), method });
    expect(plainText(priced.html)).toContain(says);
    expect(priced.html.includes('formaction="/studio/order"')).toBe(paid !== undefined);
    await place();
    const { balanceCents, playtestMinutes } = await owner.getBalance();
    expect([minutes - playtestMinutes, cents - balanceCents]).toEqual([paid?.minutes ?? 0, paid?.cents ?? 0]);
    expect((await owner.listPlaytests({ params: { gameId } })).playtests).toHaveLength(paid ? 1 : 0);
  });

  describe("without enough credit", () => {
    it("says what is missing, and leads to credit", async () => {
      const { browser, gameId } = await scene(2000);
      const { priced } = await buy(browser, basic(gameId));
      expect(plainText(priced.html)).toContain("Your credit of $20.00 is $20.00 short.");
      expect(priced.html).not.toContain('formaction="/studio/order"');
    });

    it("an order by card leads to the checkout, and is paid later from its page by other means", async () => {
      const { browser, owner, gameId, server } = await scene(0);
      const { place } = await buy(browser, { ...basic(gameId), method: "card" });
      const next = await place();
      expect(next.html).toContain("Nothing was charged yet.");
      const checkout = new URL(/href="([^"]+\/checkout\/[^"]+)"/.exec(next.html)![1]!).pathname;
      expect((await browser.get(checkout)).html).toContain("Pay $40.00");
      const id = (await owner.listPlaytests({ params: { gameId } })).playtests[0]!.id;
      const page = `/studio/playtests/${id}`;
      expect(plainText((await browser.get(page)).html)).toContain("Pay $40.00");
      const short = await browser.submit(page, `${page}/pay/credit`);
      expect([short.status, (await owner.getPlaytest({ params: { id } })).playtest.status]).toEqual([402, "pending_payment"]);
      await giveCredit(server, owner, 4000);
      const unpaid = hiddenFields((await browser.get(page)).html, `${page}/cancel`);
      expect((await browser.submit(page, `${page}/pay/credit`)).location).toBe(`${page}?done=paid`);
      // The page said that it cancels an order that is not paid.
      expect((await browser.send(`${page}/cancel`, unpaid)).status).toBe(409);
      expect((await owner.getPlaytest({ params: { id } })).playtest.status).toBe("active");
    });
  });

  it("what nobody claimed is cancelled and refunded from the page of the playtest", async () => {
    const { browser, owner, gameId } = await scene();
    const id = await order(owner, gameId, { quantity: 2 });
    const page = `/studio/playtests/${id}`;
    expect((await browser.get(page)).html).toContain("You get their price back.");
    expect((await browser.submit(page, `${page}/cancel`)).location).toBe(`${page}?done=cancelled`);
    expect((await owner.getBalance()).balanceCents).toBe(20_000);
  });

  it("the free trial is offered while the game has it", async () => {
    const { browser, gameId } = await scene(0);
    const fields = { ...basic(gameId), quantity: "1", visibility: "trial" };
    expect((await browser.get(at)).html).toContain("The free trial of this game");
    const { priced, place } = await buy(browser, fields);
    expect(plainText(priced.html)).toContain("--is-free-public-trial");
    expect((await place()).location).toContain("?done=ordered");
    expect((await browser.get(at)).html).not.toContain("The free trial of this game");
  });

  it("a game without a build cannot be ordered here", async () => {
    const { browser, owner } = await scene();
    await browser.submit("/studio/games/new", "/studio/games/new", { name: "Unbuilt" });
    const { id } = (await owner.listGames()).games.find(({ name }) => name === "Unbuilt")!;
    const { priced } = await buy(browser, basic(id));
    expect(plainText(priced.html)).toContain("This game has no build yet.");
    expect(priced.html).not.toContain('formaction="/studio/order"');
  });

  it("nobody orders for the game of another account", async () => {
    const { browser, server } = await scene();
    const gameId = await createGame(await registerOwner(server, "Other"));
    expect((await browser.submit(at, `${at}/price`, basic(gameId))).status).toBe(404);
  });

  it("without payments: says that it costs nothing", async () => {
    const { browser, gameId } = await scene(0, { config: ({ payments }) => Object.assign(payments, { enabled: false }) });
    const { priced, place } = await buy(browser, basic(gameId));
    expect(plainText(priced.html)).toContain("This server runs without payments: the order costs nothing.");
    expect((await place()).location).toContain("?done=ordered");
  });
});
