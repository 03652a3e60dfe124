import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import {
  createGame,
  firstAdmin,
  giveCredit,
  giveVideo,
  order,
  type Person,
  registerOwner,
  registerPlaytester,
} from "../helpers/factories.ts";
import { befriend, claimWith, confirm, nameHandle, registerWithHandle, teamMarket } from "../helpers/friends.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const statusesOf = async (person: Person) =>
  (await person.listFriends()).friends.map(({ handle, status }) => `${handle} ${status}`);

async function walk(server: TestServer) {
  const owner = await registerOwner(server, "Olive");
  await giveCredit(server, owner, 100_000);
  const gameId = await createGame(owner);
  const [ann, ben] = [await registerWithHandle(server, "ann"), await registerWithHandle(server, "ben")];
  await befriend(ann, ben);
  const playtestId = await order(owner, gameId, { playerCount: 2, keysForTesters: ["K1", "K2"] });
  return { owner, ann, ben, playtestId, annsBrowser: await signedIn(server, ann), bensBrowser: await signedIn(server, ben) };
}

onBothDatabases("portal: friends", (serve, it) => {
  const withTeams = () =>
    serve({
      config(config) {
        config.multiplayer.friends = true;
      },
    });

  it("the page of friends: choose a handle, ask by link, accept, remove, block", async () => {
    const server = await withTeams();
    const [ann, ben] = [await registerPlaytester(server, "Ann"), await registerPlaytester(server, "Ben")];
    const [annsBrowser, bensBrowser] = [await signedIn(server, ann), await signedIn(server, ben)];
    expect((await annsBrowser.get("/play/friends")).html).toContain("choose a handle");
    const taken = async () => annsBrowser.submit("/play/friends", "/play/friends/profile", { handle: "An", available: "yes" });
    expect((await taken()).html).toContain('aria-describedby="handle-fault"');
    await annsBrowser.submit("/play/friends", "/play/friends/profile", { handle: "Ann-1", available: "yes" });
    await nameHandle(ben, "ben");
    const { html } = await bensBrowser.get("/play/friends?add=ann-1");
    expect(html).toContain('value="ann-1"');
    const sent = await bensBrowser.submit("/play/friends", "/play/friends/add", { add: "ann-1" });
    expect([sent.location, await statusesOf(ann)]).toEqual(["/play/friends?done=sent", ["ben received"]]);
    const { id } = (await ann.listFriends()).friends[0]!;
    await annsBrowser.submit("/play/friends", `/play/friends/${id}/accept`);
    expect(await statusesOf(ben)).toEqual(["ann-1 connected"]);
    await annsBrowser.submit("/play/friends", "/play/friends/block");
    expect([await statusesOf(ann), await statusesOf(ben)]).toEqual([["ben blocked"], []]);
    await annsBrowser.submit("/play/friends", `/play/friends/${id}/remove`);
    expect(await statusesOf(ann)).toEqual([]);
  });

  it("a team is claimed, confirmed and completed by forms, and each sees their own key", async () => {
    const server = await withTeams();
    const { ann, ben, playtestId, annsBrowser, bensBrowser } = await walk(server);
    const wrong = await annsBrowser.submit(`/play/offers/${playtestId}`, `/play/offers/${playtestId}/claim`, {
      sure: "yes",
      friend0: "ben",
      share0: "much",
    });
    expect(wrong.html).toContain("must be an amount such as 12.50");
    expect(wrong.html).toContain("Share 1 in USD");
    expect(wrong.html).not.toContain("The share0");
    const claimed = await annsBrowser.submit(`/play/offers/${playtestId}`, `/play/offers/${playtestId}/claim`, {
      sure: "yes",
      friend0: "ben",
      share0: "7.50",
    });
    const { slots } = await ben.listHeldSlots();
    const page = `/play/slots/${slots[0]!.id}`;
    expect(claimed.location).toBe(`${page}?done=asked`);
    expect((await annsBrowser.get(page)).html).toContain("Waiting for your team");
    expect((await bensBrowser.get("/play/slots")).html).toContain("your share $7.50");
    const confirmed = await bensBrowser.submit(page, `${page}/team/confirm`);
    expect(confirmed.location).toBe(`${page}?done=complete`);
    const [annsPage, bensPage] = [(await annsBrowser.get(page)).html, (await bensBrowser.get(page)).html];
    expect([annsPage.includes("K1"), annsPage.includes("K2"), annsPage.includes("Choose a video")]).toEqual([true, false, true]);
    expect([bensPage.includes("K1"), bensPage.includes("K2"), bensPage.includes("Choose a video")]).toEqual([false, true, false]);
    // Neither has a video yet, so nothing for the script of the player.
    expect([annsPage, bensPage].filter((html) => html.includes("player.js"))).toEqual([]);
    await bensBrowser.submit(page, `${page}/team/leave`);
    const short = (await annsBrowser.get(page)).html;
    expect(short).toContain("Your team is not complete. Ask another friend first.");
    expect(["Choose a video", "upload.js", "/submit"].filter((part) => short.includes(part))).toEqual([]);
    expect(["Report a problem", "Release this slot"].filter((part) => !short.includes(part))).toEqual([]);
    const cleo = await registerWithHandle(server, "cleo");
    await befriend(ann, cleo);
    const asked = await annsBrowser.submit(page, `${page}/team/replace`, { missing: "ben", with: "cleo" });
    expect(asked.location).toBe(`${page}?done=asked-one`);
    expect((await annsBrowser.get(asked.location!)).html).toContain("Your friend was asked. Your team keeps the slot");
    expect((await (await signedIn(server, cleo)).get(page)).html).toContain("Confirm for $7.50");
    expect((await annsBrowser.get(page)).html).toContain("Wait until all have confirmed who were asked (cleo)");
  });

  it("who was replaced before they answered: the page says so, and offers only whose place is empty", async () => {
    const server = await withTeams();
    const { ann, playtestId, annsBrowser } = await walk(server);
    const slotId = await claimWith(ann, playtestId, "ben");
    const cleo = await registerWithHandle(server, "cleo");
    await befriend(ann, cleo);
    await annsBrowser.submit(`/play/slots/${slotId}`, `/play/slots/${slotId}/team/replace`, { missing: "ben", with: "cleo" });
    const { html } = await annsBrowser.get(`/play/slots/${slotId}`);
    expect(html).toContain("somebody else was asked");
    expect(html).not.toContain("did not answer");
    expect(html.match(/<option[^>]*>[^<]*/g)).toEqual(['<option value="cleo">cleo (asked)']);
  });

  it("where several members can be replaced, one must be chosen, and a refused form keeps the choice", async () => {
    const { server, ann, playtestId } = await teamMarket(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    const [browser, page] = [await signedIn(server, ann), `/play/slots/${slotId}`];
    const ask = (missing: string, friend: string) => browser.submit(page, `${page}/team/replace`, { missing, with: friend });
    const offered = ({ html }: { html: string }) => html.match(/<option[^>]*>[^<]*/g);
    const [nobody, ben, cleo] = ['<option value="">Choose somebody', "ben (asked)", "cleo (asked)"];
    const shown = await browser.get(page);
    expect(shown.html).toContain('<select id="missing" name="missing" required>');
    expect(offered(shown)).toEqual([nobody, `<option value="ben">${ben}`, `<option value="cleo">${cleo}`]);
    const refused = await ask("cleo", "nobody-there");
    expect([refused.status, offered(refused)]).toEqual([
      422,
      [nobody, `<option value="ben">${ben}`, `<option value="cleo" selected>${cleo}`],
    ]);
    const unchosen = await ask("", "dana");
    expect([unchosen.status, unchosen.html.includes('id="missing-fault"')]).toEqual([422, true]);
    expect((await ask("cleo", "dana")).location).toBe(`${page}?done=asked`);
    const { team } = (await ann.getHeldSlot({ params: { id: slotId } })).slot;
    expect(team!.members.map(({ handle, status }) => `${handle} ${status}`)).toEqual([
      ...["ann confirmed", "ben asked", "cleo replaced", "dana asked"],
    ]);
  });

  it("where one place is empty and another friend has not answered, an empty choice fills neither", async () => {
    const { server, ann, ben, playtestId } = await teamMarket(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await ben.declineTeam({ params: { id: slotId } });
    const [browser, page] = [await signedIn(server, ann), `/play/slots/${slotId}`];
    const unchosen = await browser.submit(page, `${page}/team/replace`, { missing: "", with: "dana" });
    expect([unchosen.status, unchosen.html.includes('id="missing-fault"')]).toEqual([422, true]);
  });

  it.for(["game", "server"])(
    "a friend who is asked reads and accepts the agreement of the %s, and is back at the slot to confirm",
    async (whose) => {
      const server = await withTeams();
      const { owner, ann, ben, playtestId, bensBrowser } = await walk(server);
      const admin = await firstAdmin(server);
      const { gameId } = (await owner.getPlaytest({ params: { id: playtestId } })).playtest;
      const [by, path] = whose === "game" ? [owner, `/games/${gameId}/agreement`] : [admin, "/admin/agreement"];
      const published = await server.request("PUT", path, { key: by.key, body: { text: "Tell nobody." } });
      const acceptConsent = published.body.data.agreement.version;
      const body = { with: [{ handle: "ben" }], acceptConsent };
      const { slot } = await ann.claimPlaytest({ params: { id: playtestId }, body });
      const [page, agreement] = [`/play/slots/${slot.id}`, `/play/offers/${playtestId}/agreement`];
      expect((await bensBrowser.get(page)).html).toContain(`href="${agreement}"`);
      expect((await bensBrowser.get(agreement)).html).toContain(`href="${page}">Back to the playtest`);
      const accepted = await bensBrowser.submit(agreement, agreement, { accepted: "on" });
      expect(accepted.location).toBe(`${page}?done=accepted`);
      const { html } = await bensBrowser.get(accepted.location!);
      expect([html.includes("You accepted the agreement."), html.includes(agreement)]).toEqual([true, false]);
      expect((await bensBrowser.submit(page, `${page}/team/confirm`)).location).toBe(`${page}?done=complete`);
      // As one of its players he still finds what he accepted, and the slot from the page of the offer.
      expect((await bensBrowser.get(agreement)).html).toContain("You accepted this version");
      expect((await bensBrowser.get(`/play/offers/${playtestId}`)).html).toContain(`href="${page}">View slot</a>`);
      await ben.leaveTeam({ params: { id: slot.id } });
      expect((await bensBrowser.get(agreement)).status).toBe(404);
    },
  );

  it("a friend who is asked, and could claim a slot too, finds the one that they are asked to join", async () => {
    const server = await withTeams();
    const { ann, ben, annsBrowser, bensBrowser, owner } = await walk(server);
    await befriend(ben, await registerWithHandle(server, "cleo"));
    const playtestId = await order(owner, await createGame(owner), { playerCount: 2, quantity: 2 });
    const slotId = await claimWith(ann, playtestId, "ben");
    const slotOf = async (person: Person) => (await person.getOffer({ params: { id: playtestId } })).playtest.slotId;
    expect([await slotOf(ann), await slotOf(ben)]).toEqual([slotId, slotId]);
    for (const browser of [annsBrowser, bensBrowser])
      expect((await browser.get(`/play/offers/${playtestId}`)).html).toContain(`href="/play/slots/${slotId}">View slot</a>`);
    await ben.declineTeam({ params: { id: slotId } });
    expect((await bensBrowser.get(`/play/offers/${playtestId}`)).html).toContain("Claim a slot together");
  });

  it("a submitted slot shows all of them the video, and no longer offers the download", async () => {
    const server = await withTeams();
    const { ann, ben, playtestId, annsBrowser, bensBrowser } = await walk(server);
    const slotId = await claimWith(ann, playtestId, "ben");
    await confirm(ben, slotId);
    const pages = async () =>
      Promise.all([annsBrowser, bensBrowser].map(async (browser) => (await browser.get(`/play/slots/${slotId}`)).html));
    const shows = async () =>
      (await pages()).map((html) => ["Download the game", "player.js", "<video", "K"].filter((text) => html.includes(text)));
    expect(await shows()).toEqual(Array(2).fill(["Download the game", "K"]));
    await giveVideo(server, slotId, ann);
    await ann.submitSlot({ params: { id: slotId } });
    expect(await shows()).toEqual(Array(2).fill(["player.js", "<video", "K"]));
    // Both can watch it, and nobody else.
    const cleo = await signedIn(server, await registerWithHandle(server, "cleo"));
    const watch = async (browser: typeof cleo) => (await browser.get(`/play/slots/${slotId}/recording`)).status;
    expect(await Promise.all([annsBrowser, bensBrowser, cleo].map(watch))).toEqual([200, 200, 404]);
  });

  it("a request is declined, and the claim is given up, by forms", async () => {
    const server = await withTeams();
    const { ann, playtestId, annsBrowser, bensBrowser } = await walk(server);
    await annsBrowser.submit(`/play/offers/${playtestId}`, `/play/offers/${playtestId}/claim`, { sure: "yes", friend0: "ben" });
    const page = `/play/slots/${(await ann.listHeldSlots()).slots[0]!.id}`;
    expect((await bensBrowser.submit(page, `${page}/team/decline`)).location).toBe("/play/slots?done=declined");
    expect((await annsBrowser.get(page)).html).toContain("declined");
    await annsBrowser.submit(page, `${page}/release`);
    expect((await ann.listHeldSlots()).slots).toEqual([]);
  });
});
