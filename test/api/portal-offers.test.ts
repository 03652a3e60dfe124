import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { claimInBrowser, hiddenFields, signedIn } from "../helpers/portal.ts";

const headings = (html: string) => [...html.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, name]) => name);

onBothDatabases("offers in the portal", (serve) => {
  async function market(change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const playtester = await factories.registerPlaytester(server);
    return { server, owner, playtester, ann: await signedIn(server, playtester) };
  }

  const gameFor = async (owner: factories.Person, name: string, devices: string[]) => {
    const gameId = await factories.createGame(owner, { name, devices });
    await factories.order(owner, gameId);
    return gameId;
  };

  it("are listed by game, each playtest with its length, pay and shortest video", async () => {
    const { owner, ann } = await market({ config: (config) => (config.playtesters.minVideoPercent = 50) });
    const cave = await gameFor(owner, "Cave", []);
    await gameFor(owner, "Dale", []);
    await factories.order(owner, cave, { durationMinutes: 120 });
    const { html } = await ann.get("/play");
    expect(headings(html)).toEqual(["Cave", "Dale"]);
    const [, card] = html.split("<h2>Cave</h2>");
    const facts = card!.split("<h2>")[0]!.match(/<li>(\d+ minutes|video of[^<]*)<\/li>|\$\d+\.\d\d/g);
    expect(facts).toEqual([
      "<li>120 minutes</li>",
      "<li>video of at least 1 h</li>",
      "$20.00",
      "<li>60 minutes</li>",
      "<li>video of at least 30 min</li>",
      "$10.00",
    ]);
  });

  it.each([
    ["", ["Any", "Phone", "Desk"]],
    ["PC", ["Any", "Desk"]],
    ["iOS", ["Any", "Phone"]],
    ["Toaster", ["Any", "Phone", "Desk"]],
  ])("filter: the device %j shows %j", async (device, names) => {
    const { owner, ann } = await market();
    await gameFor(owner, "Desk", ["PC", "Linux"]);
    await gameFor(owner, "Phone", ["iOS"]);
    await gameFor(owner, "Any", []);
    const { html } = await ann.get(`/play?device=${device}`);
    expect(headings(html).sort()).toEqual([...names].sort());
    if (device === "PC") expect(html).toContain('<option value="PC" selected>');
  });

  it("filter: what is not found says how to see more", async () => {
    const { owner, ann } = await market();
    await gameFor(owner, "Desk", ["PC"]);
    const { html } = await ann.get("/play?device=Android");
    expect(html).toContain(
      'No playtests for Android are available right now. <a href="/play?device=&amp;language=">Show all playtests</a>.',
    );
    expect((await ann.get("/play?device=PC")).html).not.toContain("No playtests");
  });

  it.each([
    ["", ["Any", "Dutch", "Lisbon", "Rio"]],
    ["nl", ["Any", "Dutch"]],
    ["pt", ["Any", "Lisbon", "Rio"]],
    ["pt-br", ["Any", "Lisbon", "Rio"]],
    ["pt-PT", ["Any", "Lisbon"]],
    ["en-a", ["Any", "Dutch", "Lisbon", "Rio"]],
    ["<script>", ["Any", "Dutch", "Lisbon", "Rio"]],
  ])("filter: the language %j shows %j", async (language, names) => {
    const { owner, ann } = await market();
    for (const [name, languages] of Object.entries({ Dutch: ["nl-NL", "en"], Lisbon: ["pt"], Rio: ["PT-br"], Any: [] }))
      await factories.order(owner, await factories.createGame(owner, { name, languages }));
    const { html } = await ann.get(`/play?device=&language=${encodeURIComponent(language)}`);
    expect(headings(html).sort()).toEqual([...names].sort());
    expect(html).toContain('<option value="pt-BR"');
    expect(html).toContain("Brazilian Portuguese</option>");
    if (language === "pt-br") expect(html).toContain('<option value="pt-BR" selected>');
  });

  it("filter: the browser remembers it until another one is chosen", async () => {
    const { owner, ann } = await market();
    await gameFor(owner, "Desk", ["PC"]);
    await factories.order(owner, await factories.createGame(owner, { name: "Phone", devices: ["iOS"], languages: ["de"] }));
    const shown = async (path: string) => headings((await ann.get(path)).html).sort();
    expect(await shown("/play?device=iOS&language=de")).toEqual(["Phone"]);
    expect((await ann.get("/play/slots")).status).toBe(200);
    expect(await shown("/play")).toEqual(["Phone"]);
    expect((await ann.get("/play")).html).toContain('<option value="de" selected>German');
    expect(await shown("/play?device=&language=")).toEqual(["Desk", "Phone"]);
    expect(await shown("/play")).toEqual(["Desk", "Phone"]);
  });

  it("filter: the API refuses an unknown device or what is no language", async () => {
    const { playtester } = await market();
    expect((await playtester.get("/playtester/playtests?device=Toaster")).status).toBe(422);
    expect((await playtester.get("/playtester/playtests?language=Klingon!")).status).toBe(422);
  });

  it("who holds as many slots as allowed sees why no further one can be claimed, and can apply", async () => {
    const { server, owner, playtester, ann } = await market({ config: (config) => (config.playtesters.maxReserved = 1) });
    const gameId = await factories.createGame(owner);
    const held = await factories.claim(playtester, await factories.order(owner, gameId));
    const free = await factories.order(owner, gameId);
    const choosy = await factories.order(owner, gameId, { selectionMode: "manual" });
    expect((await ann.get("/play")).html).toContain("You hold 1 slot, the most at once.");
    const { html } = await ann.get(`/play/offers/${free}`);
    expect(html).toContain(
      '<button disabled aria-describedby="why">Claim a slot</button><p class="why" id="why">You already hold 1 slot, the maximum. Submit or release one first.',
    );
    // The reason is the server's: the form sent anyway is refused with it.
    const { csrf } = hiddenFields(html, "/play/sign-out");
    const refused = await ann.send(`/play/offers/${free}/claim`, { csrf: csrf!, formKey: "x", sure: "yes" });
    expect([refused.status, refused.html]).toEqual([409, expect.stringContaining("You already hold 1 slot, the maximum")]);
    const applied = await ann.submit(`/play/offers/${choosy}`, `/play/offers/${choosy}/apply`);
    expect(applied.location).toBe("/play/applications?done=applied");
    await playtester.releaseSlot({ params: { id: held } });
    expect((await claimInBrowser(ann, free)).status).toBe(303);
    expect(server.errors).toEqual([]);
  });

  it("an answer that is too long names and marks its field, and is shown again", async () => {
    const { owner, ann } = await market();
    const id = await factories.order(owner, await factories.createGame(owner), { selectionMode: "manual" });
    const answer = "x".repeat(5001);
    const { status, html } = await ann.submit(`/play/offers/${id}`, `/play/offers/${id}/apply`, { answer });
    expect(status).toBe(422);
    expect(html).toContain(
      '<div class="note bad" role="alert" tabindex="-1" autofocus><p><a href="#answer">Why are you a good fit?</a>: must be at most 5000 characters.</p></div>',
    );
    expect(html).toContain(`maxlength="5000" aria-invalid="true" aria-describedby="answer-fault">${answer}</textarea>`);
    expect(html).toContain('<p class="bad fault" id="answer-fault">Must be at most 5000 characters.</p>');
  });

  const termsOf = (html: string) =>
    [...html.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, what]) => `${name}: ${what}`);

  it("the page of an offer says what is paid, how long it takes and what releasing costs, before anything is claimed", async () => {
    const { owner, playtester, ann } = await market({ config: (config) => (config.playtesters.minVideoPercent = 50) });
    const gameId = await factories.createGame(owner, {
      name: "Cave",
      devices: ["PC", "Mac"],
      languages: ["de"],
      description: "Dark.",
    });
    const id = await factories.order(owner, gameId, { playerCount: 2, quantity: 2 });
    const { html } = await ann.get(`/play/offers/${id}`);
    expect(html).toContain("<h1>Cave</h1>");
    expect(html).toContain("Dark.");
    expect(termsOf(html)).toEqual([
      "Pay: $20.00 in all, which is $10.00 per player and is paid to you, when the owner accepts your video",
      "Length: 60 minutes; a video of less than 30 min cannot be submitted",
      "Players: 2 at once: you and 1 other person, whom you bring. Only you need an account.",
      "Devices: PC (Windows), Mac",
      "Languages: German",
      "Deadline: 72 hours to play and to submit your video, from the moment you claim the slot. After that, you lose the slot.",
      "Slots: 2 slots left. You can hold 3 slots at once, of all playtests.",
      "Releasing: You can release the slot at any time before you submit. You are not paid then, and you cannot take part in this playtest again.",
    ]);
    expect(await playtester.listHeldSlots()).toMatchObject({ slots: [] });
  });

  it("names what each player gets to the nearest cent", async () => {
    const { owner, ann } = await market({ config: (config) => (config.pricing.publicPayoutCents = 500) });
    const id = await factories.order(owner, await factories.createGame(owner), { visibility: "public", playerCount: 3 });
    expect(termsOf((await ann.get(`/play/offers/${id}`)).html)[0]).toBe(
      "Pay: $5.00 in all, which is about $1.67 per player and is paid to you, when your video is published",
    );
  });

  it("claiming asks once: without the tick nothing is claimed, and afterwards the page leads to the slot", async () => {
    const { server, owner, playtester, ann } = await market();
    const id = await factories.order(owner, await factories.createGame(owner));
    const refused = await ann.submit(`/play/offers/${id}`, `/play/offers/${id}/claim`);
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining("Nothing was claimed.")]);
    expect((await playtester.listHeldSlots()).slots).toEqual([]);
    await claimInBrowser(ann, id);
    const [slot] = (await playtester.listHeldSlots()).slots as { id: string; deadlineAt: string }[];
    expect(Date.parse(slot!.deadlineAt) - server.clock.now()).toBe(24 * 3_600_000);
    expect((await ann.get(`/play/offers/${id}`)).html).toContain(`href="/play/slots/${slot!.id}">View slot</a>`);
  });

  it.each<{ name: string; order: Record<string, unknown> }>([
    { name: "one that is for another tester group", order: { panel: "veterans" } },
    {
      name: "one for playtesters with an accepted playtest",
      order: { targetingType: "past", targetingScope: "game", pastPlaytesterScope: "any" },
    },
    { name: "one whose slots are all taken", order: {} },
  ])("the page of $name says nothing of the game", async ({ name, order: body }) => {
    const { server, owner, ann } = await market();
    const admin = await factories.firstAdmin(server);
    await admin.post("/admin/groups", { name: "veterans" });
    const id = await factories.order(owner, await factories.createGame(owner, { name: "Secret Cave" }), body);
    if (name.includes("taken")) await factories.claim(await factories.registerPlaytester(server), id);
    const { status, html } = await ann.get(`/play/offers/${id}`);
    expect([status, html.includes("This playtest is not open to you"), html.includes("Secret")]).toEqual([404, true, false]);
  });

  it("the agreement names the game, shows the requirements first and Markdown as it is meant, and loses no word", async () => {
    const { server, owner, ann } = await market();
    const gameId = await factories.createGame(owner, { name: "Cave" });
    const text = [
      "# Nondisclosure",
      "Line one\nline two, **secret**, see https://example.com/a and [ours](https://example.com/b) or [bad](javascript:alert(1)).",
      "- No *streaming*.\n  - Not even a bit.",
      "3. Third",
      "<script>alert(1)</script>",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "![x](https://example.com/x.png)",
    ].join("\n\n");
    await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text } });
    const id = await factories.order(owner, gameId, { selectionMode: "manual", qualifications: "Owns a gamepad." });
    const { html } = await ann.get(`/play/offers/${id}/agreement`);
    expect(html).toContain("<h1>Agreement for Cave</h1>");
    expect(html.indexOf("Owns a gamepad.")).toBeLessThan(html.indexOf("Nondisclosure"));
    const shown = /<div class="card given">(.*?)<\/div>/s.exec(html)![1]!;
    expect(shown).toMatchInlineSnapshot(`
      "<h3>Nondisclosure</h3><p>Line one
      line two, <strong>secret</strong>, see <a href="https://example.com/a" target="_blank" rel="noopener nofollow">https://example.com/a<span class="hidden"> (opens in a new tab)</span></a> and <a href="https://example.com/b" target="_blank" rel="noopener nofollow">ours<span class="hidden"> (opens in a new tab)</span></a> or [bad](javascript:alert(1)).</p><ul><li>No <em>streaming</em>.
      - Not even a bit.</li></ul><p>3. Third</p><p>&lt;script&gt;alert(1)&lt;/script&gt;</p><p>| a | b |
      |---|---|
      | 1 | 2 |</p><p>![x](https://example.com/x.png)</p>"
    `);
    expect(html).toContain(`href="/play/offers/${id}">Back to the playtest of Cave, without accepting</a>`);
  });
});
