import { expect, it as on } from "vitest";
import { newPlaytests } from "../../src/contract/events/mails.ts";
import { zonedText } from "../../src/contract/time/zones.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { befriend, registerWithHandle, teamsOn } from "../helpers/friends.ts";
import { market, pageFacts } from "../helpers/page-facts.ts";
import { visitor } from "../helpers/portal.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";

const hour = 3_600_000;
const day = 24 * hour;
type Person = factories.Person;

const ask = (person: Person, mail: "on" | "off" | "digest" = "on") =>
  person.updateNotificationSettings({ body: { kinds: [newPlaytests], mail } });
const modeOf = async (person: Person) =>
  (await person.listNotificationSettings()).settings.find(({ kind }) => kind === newPlaytests)?.mail;

/** The tests begin a little after 12:00 UTC, and the daily emails are sent at 08:00. */
const untilMorning = 20 * hour;
const aboutNew = ({ mails }: TestServer) =>
  mails.filter(({ subject }) => /new playtests? for you/.test(subject)).map((mail) => ({ ...mail, name: mail.to.split("@")[0] }));
const jobsOf = ({ deps }: TestServer) => deps.store.read((q) => q.all("SELECT id FROM jobs WHERE kind = 'tell-of-playtests'"));
const subjects = (server: TestServer) => aboutNew(server).map(({ subject }) => subject);

async function start(server: TestServer) {
  const owner = await factories.registerOwner(server, "Olive");
  await factories.giveCredit(server, owner, 200_000);
  const tess = await factories.registerPlaytester(server, "Tess");
  return { server, owner, tess, gameId: await factories.createGame(owner) };
}
type Scene = Awaited<ReturnType<typeof start>>;

onBothDatabases("emails about new playtests", (serve, it) => {
  it("nobody gets them without asking for them by name", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    const { settings } = await tess.listNotificationSettings();
    expect(settings.at(-1)).toEqual({ kind: newPlaytests, topic: "New playtests that you can claim", mail: "off" });
    for (const mail of ["on", "digest"] as const) {
      const changed = (await tess.updateNotificationSettings({ body: { mail } })).settings;
      expect(changed.filter((one) => one.mail !== mail)).toMatchObject([{ kind: newPlaytests, mail: "off" }]);
    }
    await factories.order(owner, gameId);
    await server.advance(3 * day);
    expect(server.mails).toEqual([]);
    expect((await owner.listNotificationSettings()).settings.map(({ kind }) => kind)).not.toContain(newPlaytests);
    const refused = await owner.patch("/notifications/settings", { kinds: [newPlaytests], mail: "on" });
    expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("about which you get no emails")]);
  });

  it("on means one a day, and turning all emails off turns these off", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    const known = () => server.deps.store.read((q) => q.all("SELECT playtest_id FROM known_offers"));
    await factories.order(owner, gameId);
    await ask(tess);
    expect(await known()).toHaveLength(1);
    expect(await modeOf(tess)).toBe("digest");
    await tess.updateNotificationSettings({ body: { mail: "on" } });
    expect(await modeOf(tess)).toBe("digest");
    await tess.updateNotificationSettings({ body: { mail: "off" } });
    expect(await modeOf(tess)).toBe("off");
    await factories.order(owner, gameId);
    await server.advance(3 * day);
    expect(server.mails).toEqual([]);
    expect(await jobsOf(server)).toEqual([]);
    expect(await known()).toEqual([]);
  });

  it("one email in the morning says what is new, and none comes while nothing is", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    await tess.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
    await factories.order(owner, gameId);
    await ask(tess);
    const scheduledAt = new Date(Math.ceil(server.clock.now() / day) * day + 5 * day).toISOString();
    const claimed = await factories.order(owner, await factories.createGame(owner, { name: "Cave" }));
    const manual = await factories.order(owner, gameId, { selectionMode: "manual", durationMinutes: 30, playerCount: 2 });
    const fixed = await factories.order(owner, gameId, { scheduledAt });
    await server.advance(untilMorning - 10 * 60_000);
    expect(server.mails).toEqual([]);
    await server.advance(10 * 60_000);
    const [mail, ...others] = aboutNew(server);
    expect([mail!.subject, mail!.to, others]).toEqual(["3 new playtests for you", (await tess.getMe()).email, []]);
    const text = mail!.text.split("\n\n");
    expect(text.slice(1, 5)).toEqual([
      "3 new playtests are open to you. A slot may be taken before you look.",
      `* Lantern Deep\n  $10.00 for 60 minutes.\n  Played at ${zonedText(Date.parse(scheduledAt), "Asia/Kolkata")}. Submit your video within 24 hours after that.\n  See and claim:\n  ${server.baseUrl}/play/offers/${fixed}`,
      `* Lantern Deep\n  $10.00 in all for 30 minutes with 2 players.\n  The owner chooses who plays. Submit your video within 72 hours after the owner chooses you.\n  See and apply:\n  ${server.baseUrl}/play/offers/${manual}`,
      `* Cave\n  $10.00 for 60 minutes.\n  Submit your video within 24 hours after you claim it.\n  See and claim:\n  ${server.baseUrl}/play/offers/${claimed}`,
    ]);
    expect(mail!.text).toContain("You get this email because of your setting for “New playtests that you can claim”.");
    await server.advance(day);
    expect(subjects(server)).toHaveLength(1);
    await factories.order(owner, gameId);
    await server.advance(day);
    expect(subjects(server).slice(1)).toEqual(["A new playtest for you: Lantern Deep"]);
  });

  it("five are described, newest first, and the list has the others", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    await ask(tess);
    const ids = [];
    for (let count = 0; count < 7; count++) ids.push(await factories.order(owner, gameId));
    await server.advance(untilMorning);
    const { subject, text } = aboutNew(server)[0]!;
    expect(subject).toBe("7 new playtests for you");
    expect([...text.matchAll(/\/play\/offers\/(\S+)/g)].map(([, id]) => id)).toEqual(ids.slice(2).reverse());
    expect(text).toContain(`* and 2 more\n  See all playtests:\n  ${server.baseUrl}/play\n`);
    await server.advance(day);
    expect(subjects(server)).toHaveLength(1);
  });

  it("who holds all slots they can is told so", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    for (const _ of [1, 2, 3]) await factories.claim(tess, await factories.order(owner, gameId));
    await ask(tess);
    await factories.order(owner, gameId);
    await server.advance(untilMorning);
    expect(aboutNew(server)[0]!.text).toContain(
      "You hold 3 slots, the most at once. Before you claim another one, submit or release one.",
    );
  });

  it("without payments no email names a price", async () => {
    const server = await serve({ config: (config) => (config.payments.enabled = false) });
    const owner = await factories.registerOwner(server);
    const tess = await factories.registerPlaytester(server);
    await ask(tess);
    await factories.order(owner, await factories.createGame(owner));
    await server.advance(untilMorning);
    expect(aboutNew(server)[0]!.text).toMatch(/\n {2}60 minutes\.\n/);
    expect(aboutNew(server)[0]!.text).not.toMatch(/\$|npaid/);
  });

  /** What Tess is not offered. Each makes a playtest after she asked. */
  const hidden: { what: string; make(scene: Scene): Promise<unknown> }[] = [
    {
      what: "for another playtester",
      async make({ server, owner, gameId }) {
        const targetedPlaytesterId = (await factories.registerPlaytester(server)).id;
        const target = { targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId };
        await factories.order(owner, gameId, target);
      },
    },
    {
      what: "for a tester group",
      async make({ server, owner, gameId }) {
        const admin = await factories.firstAdmin(server);
        await admin.createGroup({ body: { name: "qa" } });
        await factories.order(owner, gameId, { panel: "qa" });
      },
    },
    {
      what: "for players in another country",
      make: ({ owner, gameId }) => factories.order(owner, gameId, { targetCountries: ["IS"] }),
    },
    {
      what: "for another device than those of the profile",
      make: async ({ owner }) => factories.order(owner, await factories.createGame(owner, { devices: ["iOS"] })),
    },
    {
      what: "a free trial that is not approved",
      make: ({ owner, gameId }) => factories.order(owner, gameId, { visibility: "public", isFreePublicTrial: true }),
    },
    {
      what: "of a game that was suspended",
      async make({ server, owner, gameId }) {
        await factories.order(owner, gameId);
        await (await factories.firstAdmin(server)).suspendGame({ params: { id: gameId } });
      },
    },
    {
      what: "whose owner was suspended",
      async make({ server, owner, gameId }) {
        await factories.order(owner, gameId);
        await (await factories.firstAdmin(server)).suspendUser({ params: { id: owner.id } });
      },
    },
    {
      what: "that was cancelled",
      make: async ({ owner, gameId }) => owner.cancelPlaytest({ params: { id: await factories.order(owner, gameId) } }),
    },
    {
      what: "whose last slot was taken",
      async make({ server, owner, gameId }) {
        const ben = await factories.registerPlaytester(server);
        await factories.play(server, ben, await factories.order(owner, gameId));
      },
    },
    {
      what: "that she claimed already",
      make: async ({ tess, owner, gameId }) => factories.claim(tess, await factories.order(owner, gameId, { quantity: 2 })),
    },
  ];
  it.for(hidden)("names none $what", async ({ make }, { server }) => {
    const scene = await start(server);
    await scene.tess.updateProfile({ body: { devices: ["PC"] } });
    await ask(scene.tess);
    await make(scene);
    await server.advance(untilMorning);
    expect(subjects(server)).toEqual([]);
  });

  it("names one as soon as it is offered, and not again when its slot is free again", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    const admin = await factories.firstAdmin(server);
    const { group } = await admin.createGroup({ body: { name: "qa" } });
    await ask(tess);
    const id = await factories.order(owner, gameId, { panel: "qa" });
    await server.advance(untilMorning);
    expect(subjects(server)).toEqual([]);
    const join = async (person: Person) =>
      admin.addGroupMembers({ params: { id: group.id }, body: { emails: [(await person.getMe()).email] } });
    await join(tess);
    await server.advance(day);
    expect(subjects(server)).toEqual(["A new playtest for you: Lantern Deep"]);
    const ben = await factories.registerPlaytester(server);
    await join(ben);
    await ben.releaseSlot({ params: { id: await factories.claim(ben, id) } });
    await server.advance(2 * day);
    expect(subjects(server)).toHaveLength(1);
  });

  it("names one for a team only to those who have enough friends", async () => {
    const server = await serve({ config: teamsOn });
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const [ann, ben, cleo] = [
      await registerWithHandle(server, "ann"),
      await registerWithHandle(server, "ben"),
      await registerWithHandle(server, "cleo"),
    ];
    await befriend(ann, ben);
    await ask(ann);
    await ask(cleo);
    await factories.order(owner, await factories.createGame(owner), { playerCount: 2 });
    await server.advance(untilMorning);
    expect(aboutNew(server).map(({ to }) => to)).toEqual([(await ann.getMe()).email]);
    expect(aboutNew(server)[0]!.text).toContain("Submit your video within 72 hours after your team is complete.");
  });

  it("one click in the mail program turns them off, and the page behind the link turns them on again", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    await ask(tess);
    await factories.order(owner, gameId);
    await server.advance(untilMorning);
    const { unsubscribeUrl, text } = aboutNew(server)[0]!;
    expect(text).toContain(`Turn these emails off:\n${unsubscribeUrl}\n`);
    const path = unsubscribeUrl!.slice(server.baseUrl.length);
    const { html } = await visitor(server).get(path);
    expect(html).toContain(
      '<li>New playtests that you can claim <span class="soft">(now: one email a day lists them)</span></li>',
    );
    expect(html).not.toContain("Send each of them");
    await fetch(unsubscribeUrl!, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) });
    expect(await modeOf(tess)).toBe("off");
    await factories.order(owner, gameId);
    await server.advance(2 * day);
    expect(subjects(server)).toHaveLength(1);
    expect((await visitor(server).send(path, { mail: "digest" })).html).toContain(
      "One email a day will list what these emails are about.",
    );
    await server.advance(2 * day);
    expect(subjects(server)).toHaveLength(1);
    await factories.order(owner, gameId);
    await server.advance(day);
    expect(subjects(server)).toEqual(Array(2).fill("A new playtest for you: Lantern Deep"));
  });

  it("turned off and on again within a day: one email, once", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    for (const mail of ["on", "off", "on", "digest", "on"] as const) {
      await ask(tess, mail);
      await server.advance(60_000);
    }
    await factories.order(owner, gameId);
    await server.advance(3 * day);
    expect(subjects(server)).toEqual(["A new playtest for you: Lantern Deep"]);
    expect(await jobsOf(server)).toHaveLength(1);
  });

  it("ten days at once: one email", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    await ask(tess);
    for (const _ of [1, 2, 3]) await factories.order(owner, gameId);
    await server.advance(10 * day);
    expect(subjects(server)).toEqual(["3 new playtests for you"]);
    await factories.order(owner, gameId);
    // As a server that was stopped, until shortly before the hour of the daily emails: its jobs run late.
    await server.deps.clock.moveTo(server.clock.now() + 10 * day + untilMorning - 600_000);
    await server.advance(0);
    expect(subjects(server)).toHaveLength(2);
    await factories.order(owner, gameId);
    await server.advance(hour);
    expect(subjects(server)).toHaveLength(2);
    await server.advance(day);
    expect(subjects(server)).toHaveLength(3);
  });

  const unreachable: { who: string; change(scene: Scene): Promise<unknown> }[] = [
    {
      who: "a suspended account",
      change: async ({ server, tess }) => (await factories.firstAdmin(server)).suspendUser({ params: { id: tess.id } }),
    },
    { who: "a deleted account", change: ({ tess }) => tess.deleteAccount({ body: { password: "correct horse" } }) },
    {
      who: "an account whose address is not verified",
      change: ({ server, tess }) =>
        server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = NULL WHERE id = ?", tess.id)),
    },
  ];
  it.for(unreachable)("$who gets none", async ({ change }, { server }) => {
    const scene = await start(server);
    await ask(scene.tess);
    await factories.order(scene.owner, scene.gameId);
    await change(scene);
    await server.advance(2 * day);
    expect(subjects(server)).toEqual([]);
  });

  it("are part of what is kept about an account, until it is deleted", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    await ask(tess);
    const playtestId = await factories.order(owner, gameId);
    await server.advance(untilMorning);
    expect((await tess.exportAccount()).records.knownOffers).toMatchObject([{ playtestId }]);
    await tess.deleteAccount({ body: { password: "correct horse" } });
    expect(await server.deps.store.read((q) => q.all("SELECT * FROM known_offers"))).toEqual([]);
  });

  pageFacts(
    [
      {
        says: "When there are new playtests that you can claim, you get one email a day, at 08:00 UTC.",
        async see({ browser }) {
          expect((await browser.get("/play")).html).not.toContain("you get one email a day");
          return (await browser.submit("/play", "/play")).location!;
        },
        async holds({ server, owner, gameId, playtester, browser }) {
          const { html } = await browser.get("/play");
          expect(html).toContain('<a href="/play/account/emails">Change your emails</a>');
          expect(html).not.toContain("Email me about new playtests");
          expect(await modeOf(playtester)).toBe("digest");
          for (const _ of [1, 2]) await factories.order(owner, gameId);
          expect((await browser.get("/play")).html).not.toContain("one email a day");
          await server.advance(day);
          expect(subjects(server)).toEqual(["2 new playtests for you"]);
        },
      },
      {
        says: "“One a day” collects what happened into one email at 08:00 UTC. What would come too late in it is sent at once. New playtests are in an email of their own, at the same time.",
        see: async () => "/play/account/emails",
        async holds({ server, owner, gameId, playtester }) {
          await ask(playtester);
          await playtester.updateNotificationSettings({ body: { mail: "digest" } });
          await owner.post(`/slots/${await factories.play(server, playtester, await factories.order(owner, gameId))}/accept`);
          await factories.order(owner, gameId);
          await server.advance(untilMorning - 10 * 60_000);
          expect(server.mails.filter((mail) => mail.to.startsWith("playtester") && mail.unsubscribeUrl !== null)).toEqual([]);
          await server.advance(10 * 60_000);
          const all = server.mails
            .filter((mail) => mail.to.startsWith("playtester") && mail.unsubscribeUrl !== null)
            .map(({ subject }) => subject);
          expect(all.sort()).toEqual(["A new playtest for you: Lantern Deep", "Your playtest of Lantern Deep was accepted"]);
        },
      },
      {
        says: "“All of them” does not turn on “New playtests that you can claim”: choose it by itself.",
        see: async () => "/play/account/emails",
        async holds({ playtester, browser }) {
          const path = "/play/account/emails";
          for (const all of ["on", "digest"]) {
            await browser.submit(path, path, { all });
            expect(await modeOf(playtester)).toBe("off");
          }
          await browser.submit(path, path, { [newPlaytests]: "digest" });
          expect(await modeOf(playtester)).toBe("digest");
          await browser.submit(path, path, { all: "off" });
          expect(await modeOf(playtester)).toBe("off");
        },
      },
    ],
    async () => market(await serve(), "/play"),
  );
});

on("new playtests: two processes on one database send one email", async () => {
  const store = await drivers.find(({ name }) => name === "postgres")!.open();
  const one = await startTestServer({ store });
  const two = await startTestServer({ store, clock: one.clock, instance: "two" });
  try {
    const { owner, tess, gameId } = await start(one);
    await ask(tess);
    await factories.order(owner, gameId);
    await Promise.all([one.advance(2 * day), two.advance(2 * day)]);
    expect([...subjects(one), ...subjects(two)]).toEqual(["A new playtest for you: Lantern Deep"]);
  } finally {
    // Each closes the store, in which the other may still look for jobs.
    await Promise.all([one.close(), two.close()]);
    await store.remove();
  }
});
