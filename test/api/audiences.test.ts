import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { befriend, nameHandle, teamsOn } from "../helpers/friends.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";

type Profile = Record<string, unknown>;

const germanWithPc = { country: "DE", languages: ["de", "en"], devices: ["PC"], ageBand: "25-34" };

onBothDatabases("whom a playtest is for", (serve, it) => {
  async function market() {
    const server = await serve();
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    return { server, owner, gameId: await factories.createGame(owner, { name: "Cave" }) };
  }
  type Server = Awaited<ReturnType<typeof serve>>;

  async function player(server: Server, profile: Profile = {}) {
    const one = await factories.registerPlaytester(server);
    if (Object.keys(profile).length > 0) expect((await one.patch("/auth/profile", profile)).status).toBe(200);
    return one;
  }

  const offers = async (person: factories.Person, query = "") =>
    (await person.get(`/playtester/playtests${query}`)).body.data.playtests.map(({ id }: { id: string }) => id);
  const claim = (person: factories.Person, id: string) => person.post(`/playtester/playtests/${id}/claim`);

  it("a profile keeps what is said, each by itself, in its usual spelling, and forgets it again", async ({ server }) => {
    const pim = await player(server);
    const said = async () => {
      const { country, languages, devices, ageBand } = (await pim.get("/auth/me")).body.data.profile;
      return { country, languages, devices, ageBand };
    };
    const nothing = { country: null, languages: [], devices: [], ageBand: null };
    expect(await said()).toEqual(nothing);
    await pim.patch("/auth/profile", { country: "uk", languages: ["EN", "de", "en"], devices: ["PC", "Mac"], ageBand: "55+" });
    const all = { country: "GB", languages: ["de", "en"], devices: ["Mac", "PC"], ageBand: "55+" };
    expect(await said()).toEqual(all);
    await pim.patch("/auth/profile", { country: "FR" });
    expect(await said()).toEqual({ ...all, country: "FR" });
    await pim.patch("/auth/profile", nothing);
    expect(await said()).toEqual(nothing);
    await pim.patch("/auth/profile", { languages: ["mo", "iw", "tl"] });
    expect((await said()).languages).toEqual(["fil", "he", "ro"]);
  });

  it.each<[Profile, string, string]>([
    [{ country: "Germany" }, "country", "must be a country code such as DE"],
    [{ languages: ["pt-BR"] }, "languages.0", "must be the code of a language without a region, such as de"],
    [{ languages: ["xx"] }, "languages.0", "must be the code of a language without a region, such as de"],
  ])("the profile %j is refused", async (profile, field, message) => {
    const { status, body } = await (await player((await market()).server)).patch("/auth/profile", profile);
    expect([status, body.error.details]).toEqual([422, [{ field, message }]]);
  });

  const cases: { name: string; target: Profile; fits: Profile; wrong: Profile; why: string; missing: string }[] = [
    {
      name: "a country",
      target: { targetCountries: ["de", "AT"] },
      fits: { country: "AT" },
      wrong: { country: "CH" },
      why: "This playtest is for players in Germany or Austria. By your profile, you are in Switzerland. Nothing was claimed.",
      missing:
        "This playtest is for players in Germany or Austria. Your profile names no country: add what is missing first. Nothing was claimed.",
    },
    {
      name: "a language",
      target: { targetLanguages: ["de", "pt"] },
      fits: { languages: ["en", "pt"] },
      wrong: { languages: ["en", "da"] },
      why: "This playtest is for players who speak German or Portuguese. By your profile, you speak Danish and English. Nothing was claimed.",
      missing:
        "This playtest is for players who speak German or Portuguese. Your profile names no languages: add what is missing first. Nothing was claimed.",
    },
    {
      name: "a device",
      target: { targetDevices: ["PC"] },
      fits: { devices: ["iOS", "PC"] },
      wrong: { devices: ["iOS"] },
      why: "This playtest is for players with a Windows PC. By your profile, you have an iPhone or iPad. Nothing was claimed.",
      missing:
        "This playtest is for players with a Windows PC. Your profile names no devices: add what is missing first. Nothing was claimed.",
    },
    {
      name: "an age band",
      target: { targetAges: ["18-24", "55+"] },
      fits: { ageBand: "55+" },
      wrong: { ageBand: "45-54" },
      why: "This playtest is for players aged 18 to 24 or 55 or older. By your profile, you are aged 45 to 54. Nothing was claimed.",
      missing:
        "This playtest is for players aged 18 to 24 or 55 or older. Your profile names no age band: add what is missing first. Nothing was claimed.",
    },
    {
      name: "all of them",
      target: { targetCountries: ["DE"], targetLanguages: ["de"], targetDevices: ["PC"], targetAges: ["25-34"] },
      fits: germanWithPc,
      wrong: { ...germanWithPc, country: "AT", devices: ["Mac"] },
      why: "This playtest is for players in Germany, aged 25 to 34, with a Windows PC, who speak German. By your profile, you are in Austria and have a Mac. Nothing was claimed.",
      missing:
        "This playtest is for players in Germany, aged 25 to 34, with a Windows PC, who speak German. Your profile names no country, no age band, no devices and no languages: add what is missing first. Nothing was claimed.",
    },
  ];

  it.each(cases)("$name: only who fits is offered it and can claim it; others are told why", async (row) => {
    const { server, owner, gameId } = await market();
    const id = await factories.order(owner, gameId, row.target);
    const [fitting, wrong, silent] = [await player(server, row.fits), await player(server, row.wrong), await player(server)];
    expect([await offers(fitting), await offers(wrong), await offers(silent)]).toEqual([[id], [], []]);
    for (const [person, why] of [
      [wrong, row.why],
      [silent, row.missing],
    ] as const) {
      const { status, body } = await claim(person, id);
      expect([status, body.error.message]).toEqual([409, why]);
      expect((await person.get(`/playtester/playtests/${id}`)).status).toBe(404);
    }
    expect((await claim(fitting, id)).status).toBe(201);
  });

  it("an order says whom it is for, and an empty list is everyone", async () => {
    const { server, owner, gameId } = await market();
    const order = async (body: Profile) => (await owner.post(`/games/${gameId}/playtests`, body)).body;
    const targets = { targetCountries: ["GB"], targetLanguages: ["en"], targetDevices: ["Mac"], targetAges: ["under-18"] };
    expect((await order({ ...targets, targetCountries: ["uk", "GB"] })).data.playtest).toMatchObject(targets);
    const everyone = { targetCountries: [], targetLanguages: [], targetDevices: [], targetAges: [] };
    const { id, ...rest } = (await order(everyone)).data.playtest;
    expect(rest).toMatchObject(everyone);
    expect(await offers(await player(server))).toEqual([id]);
    expect((await order({ targetAges: ["old"] })).error.details[0].field).toBe("targetAges.0");
    expect((await owner.post("/playtests/quote", targets)).status).toBe(200);
  });

  it("an application, and a friend who is named, need to fit as well; who fits no longer keeps the slot", async () => {
    const server = await serve({ config: teamsOn });
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner);
    const manual = await factories.order(owner, gameId, { selectionMode: "manual", targetCountries: ["DE"] });
    const [pim, sue] = [await player(server, { country: "DE" }), await player(server, { country: "FR" })];
    const apply = (person: factories.Person) => person.post(`/playtester/playtests/${manual}/applications`);
    const refused = await apply(sue);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "This playtest is for players in Germany. By your profile, you are in France. Nothing was sent.",
    ]);
    const { application } = (await apply(pim)).body.data;
    const team = await factories.order(owner, gameId, { playerCount: 2, targetCountries: ["DE"] });
    await nameHandle(pim, "pim");
    await nameHandle(sue, "sue");
    await befriend(pim, sue);
    expect(await offers(pim)).toEqual([]);
    const named = await pim.post(`/playtester/playtests/${team}/claim`, { with: [{ handle: "sue" }] });
    expect([named.status, named.body.error.message]).toEqual([409, expect.stringContaining("cannot claim this playtest.")]);
    await pim.patch("/auth/profile", { country: "FR" });
    expect((await owner.post(`/playtest-applications/${application.id}/approve`)).status).toBe(200);
    expect((await pim.get("/playtester/slots")).body.data.slots).toHaveLength(1);
  });

  it("“mine” lists the games that suit the profile, and those that name nothing; without a profile it lists all", async () => {
    const { server, owner } = await market();
    const ordered = async (name: string, game: Profile) =>
      factories.order(owner, await factories.createGame(owner, { name, ...game }));
    const any = await ordered("Any", {});
    const desk = await ordered("Desk", { devices: ["PC", "Linux"], languages: ["pt-BR"] });
    const phone = await ordered("Phone", { devices: ["iOS"], languages: ["en"] });
    const pim = await player(server, { devices: ["PC"], languages: ["pt"] });
    expect(await offers(pim, "?device=mine")).toEqual([desk, any]);
    expect(await offers(pim, "?language=mine")).toEqual([desk, any]);
    expect(await offers(pim)).toEqual([phone, desk, any]);
    expect(await offers(await player(server), "?device=mine&language=mine")).toEqual([phone, desk, any]);
  });

  it("the portal shows what suits the profile until another filter is chosen, and asks for one that says nothing", async () => {
    const { server, owner } = await market();
    for (const [name, devices] of Object.entries({ Desk: ["PC"], Phone: ["iOS"] }))
      await factories.order(owner, await factories.createGame(owner, { name, devices }));
    const pim = await player(server);
    const browser = await signedIn(server, pim);
    const shown = async (path = "/play") => {
      const { html } = await browser.get(path);
      return [...html.matchAll(/<h2>(Desk|Phone)<\/h2>/g)].map(([, name]) => name);
    };
    expect(await shown()).toEqual(["Phone", "Desk"]);
    expect((await browser.get("/play")).html).toContain("Some playtests are only for certain players.");
    const fields = { name: "Pim", "device-PC": "yes", languages: "german, EN", country: "DE", ageBand: "25-34" };
    expect((await browser.submit("/play/account", "/play/account", fields)).location).toBe("/play/account?done=saved");
    expect((await pim.getMe()).profile).toMatchObject(germanWithPc);
    expect(await shown()).toEqual(["Desk"]);
    const { html } = await browser.get("/play");
    expect(html).toContain('<option value="mine" selected>My devices</option>');
    expect(html).not.toContain("Some playtests are only for certain players.");
    expect(await shown("/play?device=&language=")).toEqual(["Phone", "Desk"]);
    expect(await shown()).toEqual(["Phone", "Desk"]);
    const account = (await browser.get("/play/account")).html;
    expect(account).toContain('name="languages" autocomplete="off" maxlength="500" value="German, English"');
    expect(account).toContain('<option value="DE" selected>Germany</option>');
    expect(account).toContain('<option value="25-34" selected>25 to 34</option>');
    expect(account).toContain('name="device-PC" value="yes" checked>');
  });

  it("a form beside it that fails changes nothing of what the profile page shows", async ({ server }) => {
    const browser = await signedIn(server, await player(server, { devices: ["PC"], languages: ["ro"], country: "DE" }));
    const wrong = { current: "wrong horse", password: "battery staple", again: "battery staple" };
    const action = /action="(\/play\/account\/password)"/.exec((await browser.get("/play/account")).html)![1]!;
    const { status, html } = await browser.submit("/play/account", action, wrong);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(html).toContain('maxlength="500" value="Romanian"');
    expect(html).toContain('name="device-PC" value="yes" checked>');
    expect(html).toContain('<option value="DE" selected>Germany</option>');
  });

  it("an unknown language on the profile page is named at its field, and what was filled in stays", async ({ server }) => {
    const browser = await signedIn(server, await player(server));
    const fields = { name: "Pim", "device-iOS": "yes", languages: "German, Klingonish", country: "FR" };
    const { status, html } = await browser.submit("/play/account", "/play/account", fields);
    expect(status).toBe(422);
    expect(html).toContain("“Klingonish”, which is no known name or code.");
    expect(html).toContain('value="German, Klingonish" aria-invalid="true"');
    expect(html).toContain('name="device-iOS" value="yes" checked>');
    expect(html).toContain('<option value="FR" selected>');
  });

  it("the order form in Studio takes it by names, says it with the price, and the offer says it to playtesters", async () => {
    const { server, owner, gameId } = await market();
    const browser = await signedIn(server, owner, "/studio");
    const fields = {
      gameId,
      visibility: "private",
      minutes: "30",
      quantity: "1",
      playerCount: "1",
      countries: "Germany, at",
      languages: "German",
      "device-PC": "yes",
      "age-25-34": "yes",
    };
    const priced = await browser.submit("/studio/order", "/studio/order/price", fields);
    const text = "players in Germany or Austria, aged 25 to 34, with a Windows PC, who speak German";
    expect(priced.html).toContain(`<p>Only for ${text}.</p>`);
    expect(priced.html).toContain("--target-country DE,AT --target-language de --target-device PC --target-age 25-34");
    const placed = await browser.send("/studio/order", { ...hiddenFields(priced.html, "/studio/order/price"), ...fields });
    expect(placed.location).toMatch(/done=ordered$/);
    expect((await browser.get(placed.location!)).html).toContain(`<li>only for ${text}</li>`);
    const id = /playtests\/([^?]*)/.exec(placed.location!)![1]!;
    const pim = await signedIn(server, await player(server, germanWithPc));
    for (const path of ["/play", `/play/offers/${id}`])
      expect((await pim.get(path)).html).toContain(`<p><strong>For ${text}</strong></p>`);
    const wrong = await browser.submit("/studio/order", "/studio/order/price", { ...fields, countries: "Atlantis" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining("“Atlantis”, which is no known name or code.")]);
  });

  it("a simulated playtester of a sandbox is one whom the playtest is for", async () => {
    const { server, owner, gameId } = await market();
    const id = await factories.order(owner, gameId, {
      targetCountries: ["JP"],
      targetLanguages: ["ja"],
      targetDevices: ["iOS"],
      targetAges: ["35-44"],
    });
    const [slot] = (await owner.get(`/playtests/${id}/slots`)).body.data.slots;
    const played = await server.request("POST", `/sandbox/slots/${slot.id}/play`, { key: owner.key, body: {} });
    expect([played.status, (await owner.get(`/playtests/${id}/slots`)).body.data.slots[0].status]).toEqual([200, "submitted"]);
  });

  it("what was said is exported with the account, and goes with its deletion", async ({ server }) => {
    const pim = await player(server, germanWithPc);
    const { records } = (await pim.get("/auth/export")).body.data;
    expect(records.profileTraits).toContainEqual({ kind: "country", value: "DE" });
    const left = () => server.deps.store.read((q) => q.all("SELECT * FROM playtester_traits WHERE user_id = ?", pim.id));
    expect(await left()).toHaveLength(5);
    await pim.post("/auth/delete-account", { password: "correct horse" });
    expect(await left()).toEqual([]);
  });
});
