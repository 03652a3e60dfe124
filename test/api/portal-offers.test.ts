import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";

const headings = (html: string) => [...html.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, name]) => name);

onBothDatabases("offers in the portal", (serve) => {
  async function market(change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 100_000);
    const playtester = await registerPlaytester(server);
    return { server, owner, playtester, ann: await signedIn(server, playtester) };
  }

  const gameFor = async (owner: Person, name: string, devices: string[]) => {
    const gameId = await createGame(owner, { name, devices });
    await order(owner, gameId);
    return gameId;
  };

  it("are listed by game, each playtest with its length, pay and shortest video", async () => {
    const { owner, ann } = await market({ config: (config) => (config.playtesters.minVideoPercent = 50) });
    const cave = await gameFor(owner, "Cave", []);
    await gameFor(owner, "Dale", []);
    await order(owner, cave, { durationMinutes: 120 });
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
      await order(owner, await createGame(owner, { name, languages }));
    const { html } = await ann.get(`/play?device=&language=${encodeURIComponent(language)}`);
    expect(headings(html).sort()).toEqual([...names].sort());
    expect(html).toContain('<option value="pt-BR"');
    expect(html).toContain("Brazilian Portuguese</option>");
    if (language === "pt-br") expect(html).toContain('<option value="pt-BR" selected>');
  });

  it("filter: the browser remembers it until another one is chosen", async () => {
    const { owner, ann } = await market();
    await gameFor(owner, "Desk", ["PC"]);
    await order(owner, await createGame(owner, { name: "Phone", devices: ["iOS"], languages: ["de"] }));
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
    const gameId = await createGame(owner);
    const held = await claim(playtester, await order(owner, gameId));
    const free = await order(owner, gameId);
    const choosy = await order(owner, gameId, { selectionMode: "manual" });
    const { html } = await ann.get("/play");
    expect(html).toContain(
      `<button disabled aria-describedby="why-${free}">Claim a slot</button><p class="why" id="why-${free}">You hold 1 slot, the most at once.`,
    );
    // The reason is the server's: the form sent anyway is refused with it.
    const { csrf } = hiddenFields(html, "/play/sign-out");
    const refused = await ann.send(`/play/offers/${free}/claim`, { csrf: csrf!, formKey: "x" });
    expect([refused.status, refused.html]).toEqual([409, expect.stringContaining("You already hold 1 slot, the maximum")]);
    expect((await ann.submit("/play", `/play/offers/${choosy}/apply`)).location).toBe("/play/applications?done=applied");
    await playtester.releaseSlot({ params: { id: held } });
    expect((await ann.submit("/play", `/play/offers/${free}/claim`)).status).toBe(303);
    expect(server.errors).toEqual([]);
  });

  it("an answer that is too long names and marks its field, and is shown again", async () => {
    const { owner, ann } = await market();
    const id = await order(owner, await createGame(owner), { selectionMode: "manual" });
    const answer = "x".repeat(5001);
    const { status, html } = await ann.submit("/play", `/play/offers/${id}/apply`, { answer });
    expect(status).toBe(422);
    expect(html).toContain("<title>Error: Playtests · playtest</title>");
    expect(html).toContain(
      `<div class="note bad" role="alert" tabindex="-1" autofocus><p><a href="#answer-${id}">Why are you a good fit?</a>: must be at most 5000 characters.</p></div>`,
    );
    expect(html).toContain(`maxlength="5000" aria-invalid="true" aria-describedby="answer-${id}-fault">${answer}</textarea>`);
    expect(html).toContain(`<p class="bad fault" id="answer-${id}-fault">Must be at most 5000 characters.</p>`);
  });
});
