import { describe, expect, it } from "vitest";
import * as users from "../../server/accounts/users-store.ts";
import { mailUserAbout } from "../../server/events/event-mails.ts";
import { createSecrets } from "../../server/lib/secrets.ts";
import { mailedKinds } from "../../src/contract/events/mails.ts";
import { zonedText } from "../../src/contract/time/zones.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { createTestRandom, startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

async function start(server: TestServer, cents = 10_000) {
  const owner = await factories.registerOwner(server, "Olive");
  const tess = await factories.registerPlaytester(server, "Tess");
  await factories.giveCredit(server, owner, cents);
  return { owner, tess, gameId: await factories.createGame(owner) };
}

const sent = ({ mails }: TestServer) => mails.map(({ to, subject }) => `${to.split("@")[0]}: ${subject}`);
const mailWith = ({ mails }: TestServer, subject: string) => mails.find((mail) => mail.subject === subject)!;
const inWords = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;
/** As emails tell it to somebody who chose no time zone. */
const told = (iso: string) => zonedText(Date.parse(iso), null);
const post = (url: string, body: string, type = "application/x-www-form-urlencoded") =>
  fetch(url, { method: "POST", body, headers: { "Content-Type": type } });

onBothDatabases("emails about events", (serve, it) => {
  it("all videos are in: told once, when the last slot is submitted, and not for a playtest of one slot", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    const ben = await factories.registerPlaytester(server, "Ben");
    const allIn = async () => {
      await server.advance(0);
      return server.mails.filter(({ subject }) => subject === "All videos of Lantern Deep are in");
    };
    await factories.play(server, tess, await factories.order(owner, gameId));
    const playtestId = await factories.order(owner, gameId, { quantity: 3 });
    const first = await factories.play(server, tess, playtestId);
    await owner.post(`/slots/${first}/accept`);
    const [open] = (await owner.get(`/playtests/${playtestId}/slots?limit=100`)).body.data.slots.filter(
      ({ status }: { status: string }) => status === "open",
    );
    await owner.delete(`/playtests/slots/${open.id}`);
    expect(await allIn()).toEqual([]);
    const last = await factories.play(server, ben, playtestId);
    const [mail, ...more] = await allIn();
    expect(more).toEqual([]);
    expect(mail!.to).toBe((await owner.getMe()).email);
    expect(mail!.text.split("\n\n").slice(1, 3)).toEqual([
      "No more videos of a playtest of Lantern Deep are awaited: it has 2 videos. 1 of them waits for your review.",
      `See the playtest:\n${server.baseUrl}/studio/playtests/${playtestId}`,
    ]);
    await owner.post(`/slots/${last}/reject`, { allowRetry: true });
    const retry = (await ben.listHeldSlots()).slots.find(({ status }) => status === "reserved")!;
    await factories.giveVideo(server, retry.id, ben);
    await ben.post(`/playtester/slots/${retry.id}/submit`);
    expect(await allIn()).toHaveLength(1);
  });

  it("a playtest: each side is told what needs it, with links that lead somewhere", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    const first = await factories.play(server, tess, await factories.order(owner, gameId));
    await owner.post(`/slots/${first}/accept`);
    const second = await factories.play(server, tess, await factories.order(owner, gameId));
    await owner.post(`/slots/${second}/reject`, { reason: "No <sound>.", allowRetry: true });
    const applied = await factories.order(owner, gameId, { selectionMode: "manual" });
    const { application } = await tess.applyToPlaytest({
      params: { id: applied },
      body: { qualificationsResponse: "I play a lot." },
    });
    await owner.post(`/playtest-applications/${application.id}/approve`);
    await server.advance(0);
    expect(sent(server)).toMatchInlineSnapshot(`
      [
        "game_owner1: Tess submitted a video of Lantern Deep",
        "playtester2: Your playtest of Lantern Deep was accepted",
        "game_owner1: Tess submitted a video of Lantern Deep",
        "playtester2: Please submit another video of Lantern Deep",
        "game_owner1: Tess applied to playtest Lantern Deep",
        "playtester2: You were chosen to playtest Lantern Deep",
      ]
    `);
    for (const mail of server.mails) {
      const links = [...mail.text.matchAll(/https?:\/\/\S+/g)].map(([url]) => url);
      expect(links.length).toBeGreaterThanOrEqual(2);
      for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
      expect(mail.unsubscribeUrl).toBe(links.find((link) => link.includes("/unsubscribe?")));
      expect(mail.html).toContain(mail.unsubscribeUrl!.replaceAll("&", "&amp;"));
    }
  });

  it("accepted, rejected and due: the amount, the reason and the deadline are those of the API", async ({ server }) => {
    const { owner, tess, gameId } = await start(server);
    const first = await factories.play(server, tess, await factories.order(owner, gameId));
    await owner.post(`/slots/${first}/accept`);
    const rejectedId = await factories.play(server, tess, await factories.order(owner, gameId));
    await owner.post(`/slots/${rejectedId}/reject`, { reason: "No <sound>.", allowRetry: true });
    const finalId = await factories.play(server, tess, await factories.order(owner, gameId));
    await owner.post(`/slots/${finalId}/reject`, { reason: "Wrong game.", allowRetry: false });
    await server.advance(23 * hour);
    const { entries } = await tess.getEarnings();
    expect(entries.map(({ amountCents }: { amountCents: number }) => amountCents)).toEqual([1000]);
    expect(mailWith(server, "Your playtest of Lantern Deep was accepted").text).toContain("You earned $10.00.");
    const { slots } = await tess.listHeldSlots({ query: { limit: 100 } });
    const retry = slots.find(({ status }: { status: string }) => status === "reserved");
    const again = mailWith(server, "Please submit another video of Lantern Deep");
    expect(again.text).toContain(
      `The reason:\n\nNo <sound>.\n\nYou can submit another video before ${told(retry!.deadlineAt!)}.`,
    );
    expect(again.text).toContain(`/play/slots/${retry!.id}\n`);
    expect(again.html).toContain("No &lt;sound&gt;.");
    expect(mailWith(server, "Your playtest of Lantern Deep was rejected").text).toContain("Wrong game.");
    const due = mailWith(server, `Your playtest of Lantern Deep is due at ${told(retry!.deadlineAt!)}`);
    expect(due.text).toContain(`/play/slots/${retry!.id}\n`);
    const { notifications } = await tess.listNotifications({ query: { limit: 100 } });
    const bodies = notifications.map(({ type, body }: { type: string; body: string }) => `${type}: ${body}`);
    expect(bodies).toContain(
      `slot.rejected: Your playtest of Lantern Deep was rejected: “No <sound>.” You can submit another video before ${inWords(retry!.deadlineAt!)}.`,
    );
    expect(bodies).toContain("slot.rejected: Your playtest of Lantern Deep was rejected: “Wrong game.” This is final.");
    expect(bodies).toContain(`slot.due: Submit your playtest video of Lantern Deep before ${inWords(retry!.deadlineAt!)}.`);
    const { events } = (await tess.get("/events?limit=100")).body.data;
    expect(events.find(({ event }: { event: string }) => event === "slot.due").data).toMatchObject({
      slotId: retry!.id,
      deadlineAt: retry!.deadlineAt,
    });
  });

  it("accepted: with rating, comment and what is missing to be paid; lost: with the deadline in the reader's zone", async ({
    server,
  }) => {
    const { owner, tess, gameId } = await start(server);
    await tess.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
    const accept = async (body: object) => {
      const slotId = await factories.play(server, tess, await factories.order(owner, gameId));
      await owner.post(`/slots/${slotId}/accept`, body);
      await server.advance(0);
      return server.mails.findLast(({ subject }) => subject === "Your playtest of Lantern Deep was accepted")!.text;
    };
    expect(await accept({ rating: 4, comment: "Very clear." })).toContain(
      `Thank you.\n\nThe owner rated it 4 of 5.\n\nThe owner wrote:\n\nVery clear.\n\nNothing can be paid out to you yet, because you have no payout details. Enter them, once for all playtests.\n\nEnter your payout details:\n${server.baseUrl}/play/earnings/details\n`,
    );
    await tess.post("/playtester/payout-details", { method: "paypal", email: "pay@example.com", password: "correct horse" });
    expect(await accept({})).toMatch(/Thank you\.\n\nView slot:/);
    await factories.claim(tess, await factories.order(owner, gameId));
    const { slots } = await tess.listHeldSlots({ query: { limit: 100 } });
    const { deadlineAt } = slots.find(({ status }: { status: string }) => status === "reserved")!;
    await server.advance(60 * day);
    const lost = server.mails.filter(({ subject }) => subject === "You lost your slot of Lantern Deep");
    expect(lost.map(({ text }) => text.split("\n\n")[1])).toEqual([
      `The deadline of your slot to playtest Lantern Deep was ${zonedText(Date.parse(deadlineAt!), "Asia/Kolkata")}. No video was submitted by then, so the slot expired. You earned nothing for it.`,
    ]);
  });

  it("payouts: the amount that was sent, and that it came back", async ({ server }) => {
    const admin = await factories.reachableAdmin(server);
    const { owner, tess, gameId } = await start(server);
    await owner.post(`/slots/${await factories.play(server, tess, await factories.order(owner, gameId))}/accept`);
    const { payout } = await admin.createPayout({ body: { userId: tess.id, amountCents: 750 } });
    await admin.failPayout({ params: { id: payout.id } });
    await server.advance(0);
    const sentMail = mailWith(server, "$7.50 of your earnings were paid out").text;
    expect(sentMail).toContain(`Payout: ${payout.id}`);
    expect(sentMail).toContain(
      `The operator of this server recorded on ${told(payout.completedAt!)} that a payout of $7.50 was sent to you.`,
    );
    expect(mailWith(server, "Your payout of $7.50 failed").text).toContain(
      `The payout of $7.50 of ${told(payout.createdAt)} failed. The amount was returned to your earnings`,
    );
    expect(await tess.getEarnings()).toMatchObject({ balanceCents: 1000 });
  });

  it("free trial: operators are told what waits for them, and the owner what they decided", async ({ server }) => {
    const admin = await factories.reachableAdmin(server);
    const { owner, tess, gameId } = await start(server);
    const trial = await factories.order(owner, gameId, { visibility: "public", isFreePublicTrial: true });
    await admin.approvePlaytest({ params: { id: trial } });
    const slotId = await factories.play(server, tess, trial);
    await server.advance(0);
    const toOperator = server.mails.filter(({ to }) => to === "operator@example.com");
    expect(toOperator.map(({ subject }) => subject)).toEqual([
      "The free trial of Lantern Deep waits for your approval",
      "A video of the free trial of Lantern Deep waits for your approval",
    ]);
    expect(toOperator[1]!.text).toContain(`${server.baseUrl}/admin\n`);
    expect((await fetch(`${server.baseUrl}/todo/approval/${slotId}`)).status).toBe(200);
    expect(sent(server)).toContain("game_owner1: Your free trial of Lantern Deep is approved");
    const submitted = mailWith(server, "Tess submitted a video of Lantern Deep").text;
    expect([submitted.includes("There is no deadline."), submitted.includes("paid")]).toEqual([true, false]);
    await admin.rejectVideo({ params: { id: slotId }, body: { reason: "Shows a face." } });
    const { notifications } = await owner.listNotifications({ query: { limit: 100 } });
    expect(notifications.find(({ type }: { type: string }) => type === "slot.rejected")!.body).toBe(
      "An operator of this server rejected Tess's video of Lantern Deep, and it is not published. “Shows a face.”",
    );
    expect((await tess.getEarnings()).balanceCents).toBe(0);
    const { events } = (await admin.get("/events?limit=10")).body.data;
    expect(events.map(({ event, data }: { event: string; data: object }) => [event, data])).toEqual([
      ["approval.pending", { playtestId: trial, gameId, slotId }],
      ["approval.pending", { playtestId: trial, gameId, slotId: null }],
    ]);
  });

  it("credit: the owner is told once when an order takes it below the threshold", async ({ server }) => {
    const { owner, gameId } = await start(server, 5500);
    await factories.order(owner, gameId);
    await server.advance(0);
    expect(sent(server)).toEqual([]);
    await factories.order(owner, gameId);
    await server.advance(0);
    const { balanceCents } = await owner.getBalance();
    expect([balanceCents, sent(server)]).toEqual([1500, ["game_owner1: Your credit is $15.00"]]);
    await factories.order(owner, gameId, { durationMinutes: 30 });
    await server.advance(0);
    expect(sent(server)).toHaveLength(1);
    const { events } = (await owner.get("/events?limit=100")).body.data;
    expect(events.filter(({ event }: { event: string }) => event === "credit.low")).toMatchObject([
      { data: { balanceCents: 1500, thresholdCents: 2000 } },
    ]);
  });

  describe("unread messages", () => {
    async function conversation(server: TestServer) {
      const { owner, tess, gameId } = await start(server);
      await owner.post(`/slots/${await factories.play(server, tess, await factories.order(owner, gameId))}/accept`);
      const { id } = (await owner.openConversation({ body: { contactId: tess.id } })).conversation;
      await server.advance(0);
      server.mails.length = 0;
      const write = (from: factories.Person, content: string) => from.post(`/chat/conversations/${id}/messages`, { content });
      const read = (by: factories.Person) => by.get(`/chat/conversations/${id}`);
      return { owner, tess, id, write, read };
    }

    it("one email after 10 minutes, none until it is read, then one again", async ({ server }) => {
      const { owner, tess, id, write, read } = await conversation(server);
      await write(owner, "What did you <mean>?");
      await server.advance(9 * minute);
      expect(sent(server)).toEqual([]);
      await write(owner, "At minute 3.");
      await server.advance(minute);
      expect(sent(server)).toEqual(["playtester2: Olive sent you 2 messages"]);
      expect(server.mails[0]!.text).toContain("What did you <mean>?");
      expect(server.mails[0]!.text).toContain(`/play/messages/${id}\n`);
      await write(owner, "Hello?");
      await server.advance(day);
      expect(sent(server)).toHaveLength(1);
      await read(tess);
      await write(owner, "Thanks anyway.");
      await server.advance(10 * minute);
      expect(sent(server).slice(1)).toEqual(["playtester2: Olive sent you a message"]);
      await write(tess, "I was away.");
      await server.advance(10 * minute);
      expect(sent(server).slice(2)).toEqual(["game_owner1: Tess sent you a message"]);
      expect(server.mails[2]!.text).toContain(`/studio/messages/${id}\n`);
    });

    it("none for what was read in time, and ten minutes for what came later", async ({ server }) => {
      const { owner, tess, write, read } = await conversation(server);
      await write(owner, "One.");
      await server.advance(5 * minute);
      await read(tess);
      await write(owner, "Two.");
      await server.advance(9 * minute);
      expect(sent(server)).toEqual([]);
      await server.advance(minute);
      expect(sent(server)).toEqual(["playtester2: Olive sent you a message"]);
      expect(server.mails[0]!.text).toContain("Two.");
    });

    it("none from who is blocked", async ({ server }) => {
      const { owner, tess, id, write } = await conversation(server);
      await write(owner, "One.");
      await tess.blockConversation({ params: { id } });
      await server.advance(hour);
      expect(sent(server)).toEqual([]);
    });
  });

  describe("opting out", () => {
    async function submitted(server: TestServer) {
      const { owner, tess, gameId } = await start(server, 20_000);
      const submit = async () => {
        await factories.play(server, tess, await factories.order(owner, gameId));
        await server.advance(0);
      };
      await submit();
      return { owner, tess, submit, url: server.mails[0]!.unsubscribeUrl! };
    }
    const modeOf = async (person: factories.Person, wanted: string) =>
      (await person.listNotificationSettings()).settings.find(({ kind }: { kind: string }) => kind === wanted)!.mail;

    it.each([
      ["a form", "List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"],
      [
        "a multipart form",
        '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
        "multipart/form-data; boundary=b",
      ],
    ])("one click by %s: turns off this kind of this person, and opening the link changes nothing", async (_, body, type) => {
      const server = await serve();
      const { owner, tess, submit, url } = await submitted(server);
      expect(await (await fetch(url)).text()).toContain("A video to review");
      for (const method of ["HEAD", "PUT", "DELETE", "OPTIONS"]) await fetch(url, { method });
      await fetch(`${url}&mail=off&List-Unsubscribe=One-Click`);
      expect((await post(url, "", type)).status).toBe(410);
      expect(await modeOf(owner, "slot.submitted")).toBe("on");
      expect((await post(url, body, type)).status).toBe(200);
      expect(await modeOf(owner, "slot.submitted")).toBe("off");
      expect(await modeOf(owner, "slot.blocked")).toBe("on");
      expect(await modeOf(tess, "slot.accepted")).toBe("on");
      await submit();
      expect(sent(server)).toHaveLength(1);
      await post(url, "mail=on");
      await submit();
      expect(sent(server)).toHaveLength(2);
    });

    it("a link works after a rotation of the instance key, and no longer after the account is deleted", async ({ server }) => {
      const { owner, url } = await submitted(server);
      const ring = { current: createTestRandom("instance key")(32) as Uint8Array, others: [] as Uint8Array[] };
      ring.others.push(ring.current);
      ring.current = Buffer.alloc(32, 9);
      Object.assign(server.deps, { secrets: createSecrets(ring, server.deps.randomBytes) });
      expect((await post(url, "List-Unsubscribe=One-Click")).status).toBe(200);
      expect(await modeOf(owner, "slot.submitted")).toBe("off");
      await server.deps.store.write((tx) => users.update(tx, owner.id, { deleted_at: 1 }));
      expect([(await fetch(url)).status, (await post(url, "mail=on")).status]).toEqual([410, 410]);
      ring.others = [];
      await server.deps.store.write((tx) => users.update(tx, owner.id, { deleted_at: null }));
      expect((await post(url, "mail=on")).status).toBe(410);
    });

    it("its page leads to that of all email settings, as the email does", async ({ server }) => {
      const { url } = await submitted(server);
      const all = "/studio/account/emails";
      expect(server.mails[0]!.text).toContain(server.baseUrl + all);
      expect(await (await fetch(url)).text()).toContain(`<a href="${all}">All email settings</a>`);
    });

    it("a link that was changed does nothing", async ({ server }) => {
      const { owner, url } = await submitted(server);
      const token = new URL(url).searchParams.get("token")!;
      const forged = Buffer.from(JSON.stringify([owner.id, "slot.blocked"])).toString("base64url");
      const [payload, mac] = token.split(".");
      const others = [`${payload}.`, `.${mac}`, `${token}.${mac}`, `${payload}.${server.deps.secrets.mac("share", payload!)}`];
      for (const wrong of ["", "x", `${token}x`, `${forged}.${mac}`, ...others]) {
        const page = `${server.baseUrl}/unsubscribe?${new URLSearchParams({ token: wrong })}`;
        const shown = await fetch(page);
        expect([shown.status, await shown.text()]).toEqual([
          410,
          expect.stringMatching(
            /This link is incomplete or no longer valid\. Nothing was changed\. .*game owners <a href="\/studio\/account\/emails">in Studio/,
          ),
        ]);
        expect((await post(page, "List-Unsubscribe=One-Click")).status).toBe(410);
      }
      expect(await modeOf(owner, "slot.blocked")).toBe("on");
      expect((await post(url, "mail=everything")).status).toBe(410);
    });

    it("settings: each role has its own kinds, and emails about security come whatever they say", async ({ server }) => {
      const admin = await factories.reachableAdmin(server);
      const { owner, tess } = await start(server);
      for (const [person, kinds] of [
        [owner, mailedKinds.game_owner],
        [tess, mailedKinds.playtester],
        [admin, mailedKinds.admin],
      ] as const) {
        const { settings, digestHour } = await person.listNotificationSettings();
        expect(digestHour).toBe(8);
        expect(settings.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
        const off = (await person.updateNotificationSettings({ body: { mail: "off" } })).settings;
        expect(off.every(({ mail }: { mail: string }) => mail === "off")).toBe(true);
      }
      const other = await owner.patch("/notifications/settings", { kinds: ["slot.accepted"], mail: "on" });
      expect([other.status, other.body.error.message]).toEqual([422, expect.stringContaining("slot.accepted")]);
      await server.request("POST", "/auth/password-reset", { body: { email: "game_owner1@example.com" } });
      await server.advance(0);
      expect(sent(server)).toEqual(["game_owner1: Reset your password"]);
      expect(server.mails[0]!.unsubscribeUrl).toBeNull();
      expect(server.mails[0]!.text).not.toContain("/unsubscribe");
    });
  });

  describe("many emails", () => {
    const letter = (number: number, usefulUntil?: number) => ({
      usefulUntil,
      subject: `Video ${number}`,
      paragraphs: [`Somebody submitted video ${number}.`],
      action: { label: "Review the video", url: "https://playtest.example/todo/review" },
    });
    const tell = (server: TestServer, person: factories.Person, number: number, usefulMs?: number, onlyAsks?: true) => {
      const told = { ...letter(number, usefulMs && server.clock.now() + usefulMs), ...(onlyAsks && { onlyAsks }) };
      return server.deps.store.write((tx) => mailUserAbout(tx, person.id, "slot.submitted", told));
    };

    it("daily: one email lists what happened, and its link turns exactly these kinds off", async ({ server }) => {
      const { owner } = await start(server);
      await owner.updateNotificationSettings({ body: { kinds: ["slot.submitted"], mail: "digest" } });
      for (const number of [1, 2, 3]) await tell(server, owner, number);
      await server.advance(19 * hour);
      expect(sent(server)).toEqual([]);
      await server.advance(hour);
      expect(sent(server)).toEqual(["game_owner1: 3 notifications in one email"]);
      for (const number of [1, 2, 3])
        expect(server.mails[0]!.text).toContain(`* Video ${number}\n  Somebody submitted video ${number}.`);
      await tell(server, owner, 4);
      await server.advance(day);
      expect(sent(server).slice(1)).toEqual(["game_owner1: Video 4"]);
      expect(server.mails[1]!.text).toContain("because you chose one email a day");
      await server.advance(3 * day);
      expect(sent(server)).toHaveLength(2);
      await post(server.mails[0]!.unsubscribeUrl!, "List-Unsubscribe=One-Click");
      const { settings } = await owner.listNotificationSettings();
      expect(settings.filter(({ mail }: { mail: string }) => mail !== "on")).toMatchObject([
        { kind: "slot.submitted", mail: "off" },
      ]);
    });

    it("daily: sends at once what would be too late then, and leaves out what only asks for something that is too late", async ({
      server,
    }) => {
      const { owner } = await start(server);
      await owner.updateNotificationSettings({ body: { kinds: ["slot.submitted"], mail: "digest" } });
      await tell(server, owner, 1, 21 * hour - minute);
      await tell(server, owner, 2, 21 * hour, true);
      await tell(server, owner, 3, 21 * hour);
      await server.advance(0);
      expect(sent(server)).toEqual(["game_owner1: Video 1"]);
      // The server is stopped for that long.
      server.clock.moveTo(server.clock.now() + 21 * hour);
      await server.advance(0);
      expect(sent(server).slice(1)).toEqual(["game_owner1: Video 3"]);
      expect(server.mails[1]!.text).not.toContain("Video 2");
    });

    it("no flood: what would be too late in an hour is sent at once", async ({ server }) => {
      const { owner } = await start(server);
      for (let number = 1; number <= 20; number++) await tell(server, owner, number);
      await server.advance(0);
      await tell(server, owner, 21, 2 * hour - minute);
      await tell(server, owner, 22, 2 * hour);
      await server.advance(0);
      expect(sent(server).slice(20)).toEqual(["game_owner1: Video 21"]);
      await server.advance(hour);
      expect(sent(server).slice(21)).toEqual(["game_owner1: Video 22"]);
    });

    it("no flood: 20 an hour to a person, the rest in one, and others and security emails as always", async ({ server }) => {
      const { owner, tess } = await start(server);
      await server.advance(hour / 2);
      for (let number = 1; number <= 50; number++) await tell(server, owner, number);
      await server.deps.store.write((tx) => mailUserAbout(tx, tess.id, "slot.accepted", letter(0)));
      await server.request("POST", "/auth/password-reset", { body: { email: "game_owner1@example.com" } });
      await server.advance(0);
      const count = (start: string) => sent(server).filter((line) => line.startsWith(start)).length;
      expect([count("game_owner1: Video"), count("game_owner1: Reset"), count("playtester2: ")]).toEqual([20, 1, 1]);
      await server.advance(hour / 2);
      expect(sent(server).slice(22)).toEqual(["game_owner1: 30 notifications in one email"]);
      const listed = new Set(
        [...server.mails.map(({ subject }) => subject), ...server.mails.at(-1)!.text.matchAll(/Video \d+/g)].map(String),
      );
      for (let number = 1; number <= 50; number++) expect(listed).toContain(`Video ${number}`);
      await server.advance(hour / 2);
      await tell(server, owner, 51);
      await server.advance(0);
      expect(sent(server).at(-1)).toBe("game_owner1: Video 51");
    });
  });
});

it("daily email: two processes on one database send one", async () => {
  const store = await drivers.find(({ name }) => name === "postgres")!.open();
  const one = await startTestServer({ store });
  const two = await startTestServer({ store, clock: one.clock, instance: "two" });
  try {
    const { owner, tess, gameId } = await start(one);
    await owner.updateNotificationSettings({ body: { mail: "digest" } });
    await factories.play(one, tess, await factories.order(owner, gameId));
    await Promise.all([one.advance(2 * day), two.advance(2 * day)]);
    expect([...sent(one), ...sent(two)]).toEqual(["game_owner1: Tess submitted a video of Lantern Deep"]);
  } finally {
    // Each closes the store, in which the other may still look for jobs.
    await Promise.all([one.close(), two.close()]);
    await store.remove();
  }
});
