import { describe, expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, giveMinutes, order, registerOwner } from "../helpers/factories.ts";
import { hiddenFields, signedIn, type Visitor } from "../helpers/portal.ts";

const at = "/studio/order/bulk";
const [check, place] = [`${at}/check`, `${at}/place`];

const plainText = (html: string) =>
  html
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");
const partsOf = (html: string, role: "alert" | "status") =>
  [...html.matchAll(new RegExp(`role="${role}"[^>]*>(.*?)</div>`, "gs"))].map(([, text]) => plainText(text!).trim());
const textIn = (html: string) => /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(html)?.[1]?.replaceAll("&quot;", '"');
const rowsIn = (html: string) =>
  [...html.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row]) => plainText(row!.replaceAll("</td>", " |")).trim());

const three = "quantity,durationMinutes,notesForTesters,ref\n1,30,,a\n2,60,Go left,b\n3,120,,c\n";

onBothDatabases("bulk orders in Studio", (serve) => {
  async function scene(cents = 100_000, change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await registerOwner(server, "Hearth & Co");
    if (cents > 0) await giveCredit(server, owner, cents);
    const gameId = await createGame(owner, { name: "Lantern Deep" });
    const browser = await signedIn(server, owner, "/studio");
    const credit = async () => (await owner.getBalance()).balanceCents;
    const playtests = async () => (await owner.listPlaytests({ params: { gameId }, query: { limit: 100 } })).playtests;
    return { server, owner, gameId, browser, credit, playtests };
  }

  /** Pastes a table. Returns the plan, and the button of that page. */
  async function paste(browser: Visitor, text: string, fields: Record<string, string> = {}) {
    const typed = { text: text.replaceAll("\n", "\r\n"), ...fields };
    const planned = await browser.submit(at, check, typed);
    const press = (more: Record<string, string> = {}) =>
      browser.send(place, { ...hiddenFields(planned.html, check), ...typed, ...more });
    return { planned, press };
  }

  it("shows what each row costs, orders once, and says what became of each row", async () => {
    const { browser, credit, playtests, gameId } = await scene();
    const { planned, press } = await paste(browser, three);
    expect(partsOf(planned.html, "status")).toEqual(["3 orders, 6 slots: $160.00; the balance is $1,000.00."]);
    expect(rowsIn(planned.html)).toEqual([
      "2 a | Lantern Deep | 1 × 30 min | $15.00 with credit |",
      "3 b | Lantern Deep | 2 × 60 min | $40.00 with credit |",
      "4 c | Lantern Deep | 3 × 120 min | $105.00 with credit |",
    ]);
    expect(planned.html).toContain("Order 3 playtests for $160.00</button>");
    expect(plainText(planned.html)).toContain(`playtest bulk orders.csv --game ${gameId}`);
    expect([await credit(), (await playtests()).length]).toEqual([100_000, 0]);
    const first = await press();
    expect(partsOf(first.html, "status")).toEqual(["3 playtests ordered for $160.00; 0 already ordered, 0 failed, 0 left."]);
    expect(rowsIn(first.html)).toEqual([
      "2 a | Lantern Deep | Ordered : line 2 | $15.00 |",
      "3 b | Lantern Deep | Ordered : line 3 | $40.00 |",
      "4 c | Lantern Deep | Ordered : line 4 | $105.00 |",
    ]);
    const second = await press();
    expect(partsOf(second.html, "status")).toEqual(["0 playtests ordered for $0.00; 3 already ordered, 0 failed, 0 left."]);
    expect([await credit(), (await playtests()).length]).toEqual([84_000, 3]);
    expect((await playtests()).find(({ ref }) => ref === "b")).toMatchObject({ quantity: 2, notesForTesters: "Go left" });
  });

  it("a double press of rows without refs, and later presses, charge once; the funds may be used up by then", async () => {
    const { browser, credit, playtests } = await scene(4000);
    const { press } = await paste(browser, "quantity\n1\n1\n");
    const both = await Promise.all([press(), press()]);
    const ordered = both.map(({ html }) => Number(/(\d) playtests? ordered/.exec(html)![1]));
    expect(ordered.reduce((sum, count) => sum + count, 0)).toBe(2);
    const third = await press();
    expect(partsOf(third.html, "status")).toEqual(["0 playtests ordered for $0.00; 2 already ordered, 0 failed, 0 left."]);
    expect([await credit(), (await playtests()).length]).toEqual([0, 2]);
  });

  it.for<{ name: string; file: string; bytes: Buffer }>([
    { name: "CSV", file: "orders.csv", bytes: Buffer.from("﻿Slots;Minutes;Notes\r\n2;30;Grüße\r\n") },
    {
      name: "a spreadsheet's Unicode text",
      file: "orders.txt",
      bytes: Buffer.from("﻿Slots\tMinutes\tNotes\r\n2\t30\tGrüße\r\n", "utf16le"),
    },
    { name: "JSON", file: "orders.json", bytes: Buffer.from('[{"quantity":2,"durationMinutes":30,"notesForTesters":"Grüße"}]') },
    {
      name: "JSON Lines",
      file: "orders.jsonl",
      bytes: Buffer.from('{"quantity":2,"durationMinutes":30,"notesForTesters":"Grüße"}\n'),
    },
  ])("a file: $name", async ({ file, bytes }) => {
    const { browser, playtests } = await scene();
    const hidden = hiddenFields((await browser.get(at)).html, check);
    const planned = await browser.sendFile(check, { ...hidden, text: "" }, { name: file, bytes, field: "file" });
    expect(partsOf(planned.html, "status")).toEqual(["1 order, 2 slots: $30.00; the balance is $1,000.00."]);
    expect(plainText(planned.html)).toContain(`playtest bulk ${file}`);
    const shown = hiddenFields(planned.html, check);
    await browser.send(place, { ...shown, text: textIn(planned.html)! });
    const pasted = await browser.send(check, { ...shown, text: "quantity,ref\n1,other\n" });
    expect(partsOf(pasted.html, "status")).toEqual(["1 order, 1 slot: $20.00; the balance is $970.00."]);
    expect(await playtests()).toMatchObject([{ quantity: 2, durationMinutes: 30, notesForTesters: "Grüße" }]);
  });

  it("says every error as the command does, and keeps the text, in which they are corrected", async () => {
    const { browser, playtests } = await scene();
    const text = "quantity,durationMinutes,cost center,game\nmany,30,7,Lantern Deep\n1,45,7,Lanten Deep\n";
    const { planned } = await paste(browser, text);
    expect(planned.status).toBe(422);
    const [said] = partsOf(planned.html, "alert");
    expect(said).toContain("The text has 4 errors. Nothing was ordered.");
    expect(said).toContain('line 2: quantity: "many" is not a whole number.');
    expect(said).toContain('line 3: durationMinutes: "45" is not one of 30, 60, 120, 180.');
    expect(said).toContain(
      "line 2: cost center: unknown field. If it is not meant for the order, let its name begin with #, or name it under “Columns to leave out”.",
    );
    expect(said).toContain('line 3: game: No game is called "Lanten Deep". Did you mean "Lantern Deep"?');
    expect(textIn(planned.html)!.replaceAll("\r\n", "\n")).toBe(text);
    const { planned: mended, press } = await paste(
      browser,
      text.replace("many", "2").replace("45", "60").replace("Lanten", "Lantern"),
      {
        ignore: "Cost center",
      },
    );
    expect(partsOf(mended.html, "status")).toEqual(["2 orders, 3 slots: $50.00; the balance is $1,000.00."]);
    await press();
    expect(await playtests()).toHaveLength(2);
  });

  it.for<{ name: string; fields: Record<string, string>; says: string }>([
    {
      name: "nothing",
      fields: { text: " " },
      says: "There is nothing to read. Nothing was ordered. Choose a file, or paste a table.",
    },
    { name: "no order", fields: { text: "quantity\n" }, says: "The text contains no orders." },
    { name: "no known column", fields: { text: "Spiel:Anzahl\nLantern:2\n" }, says: "The text has no column that an order has" },
    {
      name: "a field twice",
      fields: { text: "qty,slots\n1,1\n" },
      says: 'Line 2: "qty" and "slots" both give the field quantity.',
    },
    {
      name: "too many rows",
      fields: { text: `quantity\n${"1\n".repeat(201)}` },
      says: "The text has 201 rows, and this page takes at most 200. Nothing was ordered. Split it, or order it with the command playtest bulk , which takes more.",
    },
    {
      name: "a long text",
      fields: { text: `quantity,notes\n1,${"x".repeat(262_144)}\n` },
      says: "The text is larger than 256 KiB.",
    },
    { name: "no amount", fields: { text: three, limit: "much" }, says: 'The limit "much" is no amount in dollars' },
    {
      name: "lists in lists",
      fields: { text: `{"quantity":${"[".repeat(100_000)}${"]".repeat(100_000)}}` },
      says: "line 1: not valid JSON: it is nested more than 32 deep.",
    },
    {
      name: "YAML",
      fields: { text: "- quantity: 1\n" },
      says: "The text is YAML, which this page does not read. Nothing was ordered.",
    },
    { name: "a typing mistake in JSON", fields: { text: '[{"quantity":1},]' }, says: "The text: not valid JSON: " },
    {
      name: "a field that stands twice",
      fields: { text: '[{"quantity":1,"quantity":9}]' },
      says: 'The text: not valid JSON: the field "quantity" occurs twice.',
    },
    { name: "broken quotes", fields: { text: 'quantity,notes\n1,"x\n' }, says: "The text: Quote Not Closed" },
    {
      name: "a fixed time without a zone",
      fields: { text: "quantity,at\n1,2026-12-05 18:00\n" },
      says: "has no time zone, and none is set in your profile",
    },
  ])("refuses $name", async ({ fields, says }) => {
    const { browser, playtests } = await scene();
    const reply = await browser.submit(at, check, fields);
    expect([reply.status, partsOf(reply.html, "alert")[0]]).toEqual([422, expect.stringContaining(says)]);
    expect(reply.html).not.toContain(`formaction="${place}"`);
    expect(await playtests()).toEqual([]);
  });

  it("refuses a file that is no text", async () => {
    const { browser } = await scene();
    const hidden = hiddenFields((await browser.get(at)).html, check);
    const reply = await browser.sendFile(check, hidden, {
      name: "orders.xlsx",
      bytes: Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0]),
      field: "file",
    });
    expect(partsOf(reply.html, "alert")).toEqual([
      "orders.xlsx is not UTF-8 text. Save it as UTF-8. Excel calls this format CSV UTF-8.",
    ]);
  });

  describe("what changed since the plan was shown is not ordered", () => {
    it.each([
      ["the rows", { text: three.replace("Go left", "Go right") }],
      ["the batch", { batch: "second" }],
      ["how they are paid", { pay: "credit" }],
    ])("%s", async (_, change) => {
      const { browser, playtests } = await scene();
      const { press } = await paste(browser, three);
      const reply = await press(change);
      expect(partsOf(reply.html, "alert")[0]).toBe(
        "The rows or options have changed since the plan was shown. Nothing was ordered. This is the plan now:",
      );
      expect(reply.html).toContain("Order 3 playtests for $160.00</button>");
      expect(await playtests()).toEqual([]);
    });

    it("the prices", async () => {
      const { browser, playtests } = await scene();
      const { planned, press } = await paste(browser, three);
      const prices = hiddenFields(planned.html, check).prices!.replace("1500", "1400");
      const reply = await press({ prices });
      expect(partsOf(reply.html, "alert")[0]).toBe(
        "The prices have changed since the plan was shown. Nothing was ordered. This is the plan now:",
      );
      expect(await playtests()).toEqual([]);
    });

    it("an order that was cancelled meanwhile", async () => {
      const { browser, owner, gameId, playtests } = await scene();
      const id = await order(owner, gameId, { quantity: 1, durationMinutes: 30, ref: "a" });
      const { planned, press } = await paste(browser, three);
      expect(rowsIn(planned.html)[0]).toContain("Ordered before");
      expect(planned.html).toContain("Order 2 playtests for $145.00</button>");
      await owner.post(`/playtests/${id}/cancel`);
      expect(partsOf((await press()).html, "status")[0]).toContain("2 playtests ordered for $145.00; 1 already ordered");
      expect(await playtests()).toHaveLength(3);
    });

    it("an order that was changed and cancelled meanwhile, so that its row is open again", async () => {
      const { browser, owner, gameId, playtests } = await scene();
      const id = await order(owner, gameId, { quantity: 1, durationMinutes: 30, ref: "a" });
      const { press } = await paste(browser, three);
      await owner.patch(`/playtests/${id}`, { notesForTesters: "Go up" });
      await owner.post(`/playtests/${id}/cancel`);
      expect(partsOf((await press()).html, "alert")[0]).toBe(
        "The order of a row was cancelled since the plan was shown. Nothing was ordered. This is the plan now:",
      );
      expect(await playtests()).toHaveLength(1);
    });

    it("a plan of more than an hour ago", async () => {
      const { browser, server, playtests } = await scene();
      const { press } = await paste(browser, "quantity\n1\n");
      await press();
      await server.advance(3_600_000 + 1);
      expect(partsOf((await press()).html, "alert")[0]).toContain(
        "This plan was shown more than an hour ago. Nothing was ordered.",
      );
      expect(await playtests()).toHaveLength(1);
    });
  });

  describe("refs", () => {
    it("a row that was ordered before is left out, also one that the command or the API ordered", async () => {
      const { browser, owner, gameId, credit } = await scene();
      await order(owner, gameId, { quantity: 1, durationMinutes: 30, ref: "a" });
      const { planned, press } = await paste(browser, three);
      expect(partsOf(planned.html, "status")).toEqual(["2 orders, 5 slots: $145.00; the balance is $985.00."]);
      const { html } = await press();
      expect(partsOf(html, "status")).toEqual(["2 playtests ordered for $145.00; 1 already ordered, 0 failed, 0 left."]);
      expect(await credit()).toBe(84_000);
      const { planned: again } = await paste(browser, three);
      expect(partsOf(again.html, "status")).toEqual(["Every row was ordered before. Nothing is left to order."]);
      expect(again.html).not.toContain(`formaction="${place}"`);
    });

    it("a row that was changed since stops everything; another batch is new orders", async () => {
      const { browser, owner, gameId, playtests } = await scene();
      await order(owner, gameId, { quantity: 2, durationMinutes: 30, ref: "a" });
      const { planned } = await paste(browser, three);
      expect(partsOf(planned.html, "alert")[0]).toContain('line 2: ref: "a" was ordered as');
      const { press } = await paste(browser, three, { batch: "november" });
      await press();
      expect((await playtests()).map(({ ref }) => ref).sort()).toEqual(["a", "november/a", "november/b", "november/c"]);
    });
  });

  it("rows without a ref that are pasted a second time are not ordered twice within a day", async () => {
    const { browser, playtests } = await scene();
    const text = "quantity\n1\n";
    await (await paste(browser, text)).press();
    const again = await (await paste(browser, text)).press();
    expect(partsOf(again.html, "status")[0]).toContain("0 playtests ordered for $0.00; 1 already ordered");
    expect(await playtests()).toHaveLength(1);
  });

  describe("money", () => {
    it("nothing is ordered above the limit", async () => {
      const { browser, playtests, credit } = await scene();
      const over = "The rows cost $160.00, which is more than the limit of $100.00. Nothing was ordered.";
      const { planned, press } = await paste(browser, three, { limit: "100" });
      expect(partsOf(planned.html, "alert")).toEqual([over]);
      expect(partsOf((await press()).html, "alert")).toEqual([over]);
      expect([await playtests(), await credit()]).toEqual([[], 100_000]);
      await press({ limit: "160" });
      expect(await credit()).toBe(84_000);
    });

    it("orders the rows that the funds cover, and says what is missing for the rest", async () => {
      const { browser, playtests, credit } = await scene(6000);
      const { planned, press } = await paste(browser, three);
      expect(plainText(planned.html)).toContain("The funds do not cover the last row ($105.00): $100.00 more credit is needed.");
      expect(planned.html).toContain("Order the first 2 playtests for $55.00</button>");
      const { html } = await press();
      const [said] = partsOf(html, "alert");
      expect(said).toContain("2 playtests ordered for $55.00; 0 already ordered, 0 failed, 1 left.");
      expect(said).toContain("The funds ran out with 1 row left: $100.00 more credit is needed.");
      expect(rowsIn(html)[2]).toContain("Not tried");
      expect([(await playtests()).length, await credit()]).toEqual([2, 500]);
      const again = partsOf((await press()).html, "alert")[0];
      expect(again).toContain("0 playtests ordered for $0.00; 2 already ordered, 0 failed, 1 left.");
      expect(again).toContain("The funds ran out with 1 row left: $100.00 more credit is needed.");
    });

    it("a plan that is checked again counts the credit that was added meanwhile", async () => {
      const { browser, owner, server } = await scene(6000);
      const { planned } = await paste(browser, three);
      await giveCredit(server, owner, 10_000);
      const again = await browser.send(check, { ...hiddenFields(planned.html, check), text: three });
      expect(again.html).toContain("Order 3 playtests for $160.00</button>");
    });

    it("nothing can be ordered without funds", async () => {
      const { browser } = await scene(0);
      const { planned } = await paste(browser, three);
      expect(planned.html).not.toContain(`formaction="${place}"`);
      expect(planned.html).toContain('href="/studio/billing#credit">Add credit</a>');
    });

    it("playtest hours pay for what they cover, and a second press takes no credit", async () => {
      const { browser, owner, server, credit } = await scene();
      await giveMinutes(server, owner, 30);
      const { planned, press } = await paste(browser, three);
      expect(rowsIn(planned.html)[0]).toContain("30 playtest minutes with playtest hours");
      await press();
      await press();
      expect([await credit(), (await owner.getBalance()).playtestMinutes]).toEqual([100_000 - 14_500, 0]);
    });

    it("without payments: says nothing of money", async () => {
      const { browser, playtests } = await scene(0, { config: ({ payments }) => Object.assign(payments, { enabled: false }) });
      const { planned, press } = await paste(browser, three);
      expect(partsOf(planned.html, "status")).toEqual(["3 orders, 6 slots."]);
      expect(planned.html).not.toMatch(/\$\d|How to pay/);
      expect((await press()).html).not.toMatch(/\$\d/);
      expect(await playtests()).toHaveLength(3);
    });
  });

  it("a row that the server refuses does not keep the others from being ordered", async () => {
    const { browser, playtests } = await scene();
    const text = "quantity,isFreePublicTrial\n1,yes\n1,yes\n1,no\n";
    const { press } = await paste(browser, text);
    const { html } = await press();
    expect(partsOf(html, "alert")[0]).toContain("2 playtests ordered for $20.00; 0 already ordered, 1 failed, 0 left.");
    expect(partsOf(html, "alert")[0]).toContain("Correct the rows that were not ordered.");
    expect(rowsIn(html)[1]).toContain("Not ordered:");
    expect(textIn(html)!.replaceAll("\r\n", "\n")).toBe(text);
    expect(await playtests()).toHaveLength(2);
  });

  it("with several games, each row names its game, or one is chosen for the rest", async () => {
    const { browser, owner, gameId } = await scene();
    const other = await createGame(owner, { name: "Salt Wind" });
    const text = "game,quantity\nSalt Wind,1\n,1\n";
    const { planned } = await paste(browser, text);
    expect(partsOf(planned.html, "alert")[0]).toContain(
      "line 3: game: is required, because no game is chosen for rows without one",
    );
    const { press } = await paste(browser, text, { gameId });
    await press();
    for (const id of [gameId, other]) expect((await owner.listPlaytests({ params: { gameId: id } })).playtests).toHaveLength(1);
  });

  it("fixed times are read and told in the time zone of the profile", async () => {
    const { browser, owner, playtests, server } = await scene();
    await owner.patch("/auth/profile", { timeZone: "Europe/Berlin" });
    const day = new Date(server.clock.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const { planned, press } = await paste(browser, `quantity,at\n1,${day} 18:00\n`);
    expect(rowsIn(planned.html)[0]).toMatch(new RegExp(`1 × 60 min \\w+ ${day} 18:00, Europe/Berlin`));
    await press();
    expect(await playtests()).toMatchObject([{ scheduledAt: expect.stringContaining(day) }]);
  });

  it("a game without a build cannot be ordered here", async () => {
    const { browser } = await scene();
    await browser.submit("/studio/games/new", "/studio/games/new", { name: "Unbuilt" });
    const { planned } = await paste(browser, "game,quantity\nUnbuilt,1\n");
    expect(plainText(planned.html)).toContain("Unbuilt has no build yet. Upload one before you order.");
    expect(planned.html).not.toContain(`formaction="${place}"`);
  });

  it("nobody orders for the game of another account, or without the token of the page", async () => {
    const { browser, server } = await scene();
    const foreign = await createGame(await registerOwner(server, "Other"));
    const { planned } = await paste(browser, `game,quantity\n${foreign},1\n`);
    expect(partsOf(planned.html, "alert")[0]).toContain(`${foreign} is not one of your games`);
    expect((await browser.send(place, { text: three })).status).toBe(403);
    expect((await browser.sendFile(check, {}, { name: "a.csv", bytes: Buffer.from(three), field: "file" })).status).toBe(403);
  });

  it("is for the game that was named, also where the owner has more games than the form lists", async () => {
    const { browser, owner, gameId } = await scene();
    for (let n = 0; n < 100; n++) await createGame(owner, { name: `Game ${n}` });
    const chosen = `<option value="${gameId}" selected>Lantern Deep</option>`;
    expect((await browser.get(`${at}?game=${gameId}`)).html).toContain(chosen);
    const planned = await browser.submit(at, check, { text: three, gameId });
    expect([planned.status, planned.html]).toEqual([200, expect.stringContaining(chosen)]);
  });

  it("the order form and the page of a game lead here", async () => {
    const { browser, gameId } = await scene();
    expect((await browser.get("/studio/order")).html).toContain(`href="${at}"`);
    expect((await browser.get(`/studio/games/${gameId}`)).html).toContain(`href="${at}?game=${gameId}"`);
  });
});
