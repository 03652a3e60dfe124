import { expect, it } from "vitest";
import { startRetention } from "../../server/operations/retention.ts";
import { erase } from "../../server/personal/erase-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const vtt = `WEBVTT

00:00:01.000 --> 00:00:04.000
<v Pia>Where is the lamp?

00:12:41.500 --> 00:12:44.000
I am <i>lost</i>.
`;

interface Share {
  id: string;
  url: string;
  views: number;
}

async function market(server: TestServer) {
  const owner = await registerOwner(server);
  await giveCredit(server, owner, 100_000);
  const gameId = await createGame(owner);
  const playtestId = await order(owner, gameId, { quantity: 3 });
  const tester = await registerPlaytester(server, "Pia");
  const slotId = await play(server, tester, playtestId);
  await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt } });
  const share = async (path = `/slots/${slotId}`, body: object = {}) => {
    const reply = await owner.post(`${path}/shares`, body);
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body.data.share as Share;
  };
  return { server, owner, gameId, playtestId, tester, slotId, share };
}
type Market = Awaited<ReturnType<typeof market>>;

const pathOf = ({ url }: Share) => new URL(url).pathname;
const listed = async (owner: Person, query = ""): Promise<Record<string, unknown>[]> =>
  (await owner.get(`/shares${query}`)).body.data.shares;

/** The status of the page, the video and the captions of a share, to somebody with these cookies. */
async function statuses({ server, slotId }: Pick<Market, "server" | "slotId">, path: string, cookie = "") {
  const paths = [path, `${path}/${slotId}`, `${path}/${slotId}/video`, `${path}/${slotId}/captions`];
  const replies = await Promise.all(paths.map((one) => fetch(server.baseUrl + one, { headers: { cookie } })));
  await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  return replies.map(({ status }) => status);
}

const open = [200, 200, 200, 200];
const gone = [404, 404, 404, 404];

onBothDatabases("shares", (serve) => {
  it("show the video of a slot with its captions, transcript and chosen notes, and not who plays", async () => {
    const { server, owner, slotId, share, playtestId } = await market(await serve());
    const note = async (atMs: number, text: string) =>
      (await owner.post(`/slots/${slotId}/moments`, { atMs, text, kind: "bug" })).body.data.moment.id as string;
    const [chosen] = [await note(761_000, "Falls <through> the floor"), await note(5000, "Only for us")];
    const shared = await share(undefined, { noteIds: [chosen] });
    expect(shared).toMatchObject({ kind: "slot", slotId, playtestId, state: "active", hasPassword: false, noteIds: [chosen] });
    expect(shared.url).toMatch(/\/share\/[\w-]{43}$/);

    const path = pathOf(shared);
    const { status, html, headers } = await visitor(server).get(path);
    expect(status).toBe(200);
    for (const text of ["Playtest of Lantern Deep", "Falls &lt;through&gt; the floor", "Where is the lamp?", "I am lost."])
      expect(html).toContain(text);
    expect(html).toContain('href="?t=761#t=12m41s"');
    expect(html).toContain('<meta property="og:title" content="Playtest of Lantern Deep">');
    for (const secret of ["Only for us", "Pia", "It was fun."]) expect(html).not.toContain(secret);
    expect(
      Object.fromEntries(["cache-control", "referrer-policy", "x-robots-tag"].map((name) => [name, headers.get(name)])),
    ).toEqual({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow, noarchive",
    });
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect((await visitor(server).get(`${path}?t=761`)).html).toContain(`src="${path}/${slotId}/video#t=761"`);
    expect((await visitor(server).get(`${path}?t=761%22`)).html).toContain(`src="${path}/${slotId}/video"`);

    const part = await fetch(`${server.baseUrl}${path}/${slotId}/video`, { headers: { range: "bytes=4-11" } });
    expect([part.status, await part.text(), part.headers.get("cache-control")]).toEqual([206, "ftypmp42", "private, no-store"]);
    expect(part.headers.get("content-disposition")).toContain("video.mp4");
    expect(part.headers.get("content-disposition")).not.toContain("play.mp4");
    const captions = await (await fetch(`${server.baseUrl}${path}/${slotId}/captions`)).text();
    expect(captions).toBe(vtt.replace("<v Pia>", ""));
  });

  it("name the playtester and show all notes where their owner wants that", async () => {
    const { server, owner, slotId, share } = await market(await serve());
    await owner.post(`/slots/${slotId}/moments`, { atMs: 1000, text: "Everybody sees this" });
    const { html } = await visitor(server).get(pathOf(await share(undefined, { withName: true, withNotes: true })));
    for (const text of ["Pia plays Lantern Deep", "Pia: Where is the lamp?", "Everybody sees this"]) expect(html).toContain(text);
  });

  it("of a playtest list its videos, and no video of another playtest or that was rejected", async () => {
    const world = await market(await serve());
    const { server, owner, gameId, playtestId, slotId, share } = world;
    const [second, rejected] = [
      await play(server, await registerPlaytester(server, "Quinn"), playtestId),
      await play(server, await registerPlaytester(server, "Rosa"), playtestId),
    ];
    const elsewhere = await play(server, await registerPlaytester(server), await order(owner, gameId));
    const path = pathOf(await share(`/playtests/${playtestId}`));
    await owner.post(`/slots/${slotId}/accept`);
    await owner.post(`/slots/${rejected}/reject`, { reason: "Silent." });
    const { html } = await visitor(server).get(path);
    expect([...html.matchAll(new RegExp(`href="${path}/([0-9a-f-]+)"`, "g"))].map(([, id]) => id)).toEqual([slotId, second]);
    expect(html).toContain("2 videos");
    expect(html).not.toContain("Quinn");
    expect(await statuses(world, path)).toEqual(open);
    for (const other of [elsewhere, rejected])
      expect((await statuses({ server, slotId: other }, path)).slice(1)).toEqual([404, 404, 404]);
    // The share of one slot is not a way to the others of its playtest.
    const single = pathOf(await share());
    expect((await statuses({ server, slotId: second }, single)).slice(1)).toEqual([404, 404, 404]);
    for (const detour of [
      `${single}/${slotId}/../${second}/video`,
      `${single}/..%2f${second}/video`,
      `${single}/${slotId}/video/x`,
      `${single}//video`,
    ])
      expect((await fetch(server.baseUrl + detour)).status).toBe(404);
  });

  it("end at once for pages and files when they are revoked, and when their time is over", async () => {
    const world = await market(await serve());
    const { server, owner, share } = world;
    const [revoked, short] = [await share(), await share(undefined, { validForSeconds: 3600 })];
    for (const one of [revoked, short]) expect(await statuses(world, pathOf(one))).toEqual(open);
    expect((await owner.delete(`/shares/${revoked.id}`)).status).toBe(200);
    expect(await statuses(world, pathOf(revoked))).toEqual(gone);
    expect((await owner.delete(`/shares/${revoked.id}`)).status).toBe(404);
    await server.advance(hour - 1000);
    expect(await statuses(world, pathOf(short))).toEqual(open);
    await server.advance(1000);
    expect(await statuses(world, pathOf(short))).toEqual(gone);
    expect(await listed(owner)).toMatchObject([{ id: short.id, state: "expired" }]);
    const shown = async (path: string) => (await visitor(server).get(path)).html;
    expect(await shown(pathOf(short))).toBe(await shown("/share/never-existed"));
  });

  it.each([
    ["the slot is rejected", async ({ owner, slotId }: Market) => owner.post(`/slots/${slotId}/reject`, { reason: "Silent." })],
    [
      "the owner is suspended",
      async ({ server, owner }: Market) =>
        server.deps.store.write((tx) => tx.run("UPDATE users SET suspended_at = 1 WHERE id = ?", owner.id)),
    ],
    [
      "the playtester deletes the account",
      async ({ server, tester }: Market) =>
        server.deps.store.write((tx) => tx.run("UPDATE users SET deleted_at = 1 WHERE id = ?", tester.id)),
    ],
    [
      "the file of the video is removed",
      async ({ server, slotId }: Market) => {
        const found = await server.deps.store.read((q) =>
          q.one<{ blob_key: string }>("SELECT blob_key FROM submissions WHERE slot_id = ?", slotId),
        );
        await server.deps.blobs.remove(found!.blob_key);
      },
    ],
  ])("end when %s", async (_, happens) => {
    const world = await market(await serve());
    const { share, playtestId } = world;
    const paths = [pathOf(await share()), pathOf(await share(`/playtests/${playtestId}`))];
    for (const path of paths) expect(await statuses(world, path)).toEqual(open);
    await happens(world);
    for (const path of paths) expect(await statuses(world, path)).toEqual(gone);
  });

  it("with a password show nothing before it was given, and then everything in that browser", async () => {
    const world = await market(await serve());
    const { server, slotId, share, owner } = world;
    const shared = await share(undefined, { password: "lamp in the dark" });
    expect(shared).toMatchObject({ hasPassword: true });
    const path = pathOf(shared);
    const person = visitor(server);
    const asked = await person.get(path);
    expect(asked.html).toContain("This page needs a password");
    for (const secret of ["Lantern", "og:", slotId]) expect(asked.html).not.toContain(secret);
    expect((await statuses(world, path)).slice(2)).toEqual([404, 404]);
    const wrong = await person.send(path, { password: "lamp in the light" });
    expect([wrong.status, wrong.html.includes("This password is wrong.")]).toEqual([403, true]);
    expect(await listed(owner)).toMatchObject([{ views: 0 }]);

    const right = await fetch(server.baseUrl + path, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "password=lamp+in+the+dark",
    });
    const cookie = right.headers.get("set-cookie")!;
    expect([right.status, right.headers.get("location")]).toEqual([303, path]);
    expect(cookie).toMatch(new RegExp(`; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=43200$`));
    const given = cookie.split(";")[0]!;
    expect(await statuses(world, path, given)).toEqual(open);
    // The proof is of this share, of this password, and of this time.
    const other = pathOf(await share(undefined, { password: "lamp in the dark" }));
    expect((await statuses(world, other, given)).slice(2)).toEqual([404, 404]);
    const later = given.replace(/=(\d+)\./, (_, until: string) => `=${Number(until) + day}.`);
    expect((await statuses(world, path, later)).slice(2)).toEqual([404, 404]);
    await server.advance(12 * hour);
    expect((await statuses(world, path, given)).slice(2)).toEqual([404, 404]);
  });

  it("limit how often passwords are tried", async () => {
    const { server, share } = await market(await serve({ config: (config) => (config.limits.enabled = true) }));
    const path = pathOf(await share(undefined, { password: "lamp in the dark" }));
    const tried = [];
    for (let time = 0; time < 6; time++) tried.push((await visitor(server).send(path, { password: "guess" })).status);
    expect(tried).toEqual([403, 403, 403, 403, 403, 429]);
    expect((await visitor(server).send(path, { password: "lamp in the dark" })).status).toBe(429);
  });

  it("count a view once per browser and hour, and keep no address", async () => {
    const { server, owner, share } = await market(await serve());
    const path = pathOf(await share());
    const [first, second] = [visitor(server), visitor(server)];
    for (const person of [first, first, second]) await person.get(path);
    await fetch(server.baseUrl + path, { method: "HEAD" });
    expect(await listed(owner)).toMatchObject([{ views: 2, lastViewedAt: "2026-03-01T12:00:00.000Z" }]);
    const rows = await server.deps.store.read((q) => q.all("SELECT * FROM shares"));
    expect(JSON.stringify(rows)).not.toContain("127.0.0.1");
    expect(JSON.stringify(rows)).not.toContain(path.slice("/share/".length));
  });

  it("stay out of the log, whatever way their address is written", async () => {
    const { server, share } = await market(await serve());
    const path = pathOf(await share());
    const token = path.slice("/share/".length);
    for (const target of [path, `/${path}`, `/x/..${path}`, `/share/./${token}/video`, `/share//${token}`, `${path}?t=1`])
      await (await fetch(`${server.baseUrl}${target}`)).arrayBuffer();
    expect(server.lines.join("\n")).toContain("/share/:token");
    expect(server.lines.join("\n")).not.toContain(token);
  });

  it("belong to their owner, and are refused where there is nothing to share", async () => {
    const { server, owner, gameId, slotId, playtestId, share } = await market(await serve());
    const { id } = await share();
    const stranger = await registerOwner(server);
    for (const path of [`/slots/${slotId}/shares`, `/playtests/${playtestId}/shares`])
      expect((await stranger.post(path, {})).status).toBe(404);
    expect((await stranger.delete(`/shares/${id}`)).status).toBe(404);
    expect(await listed(stranger)).toEqual([]);
    const empty = await order(owner, gameId);
    expect((await owner.post(`/playtests/${empty}/shares`, {})).status).toBe(409);
    const open = (await owner.get(`/playtests/${empty}/slots`)).body.data.slots[0].id;
    expect((await owner.post(`/slots/${open}/shares`, {})).status).toBe(409);
    const foreign = { noteIds: ["01900000-0000-7000-8000-000000000000"] };
    expect((await owner.post(`/slots/${slotId}/shares`, foreign)).body.error.message).toContain(
      "noteIds.0: must be a note on what is shared",
    );
    expect((await owner.post(`/slots/${slotId}/shares`, { password: "short" })).status).toBe(422);
    expect((await listed(owner, `?slot=${slotId}`)).length).toBe(1);
    expect(await listed(owner, `?playtest=${empty}`)).toEqual([]);
  });

  it("are recorded when they begin and end, go with their owner's account, and are forgotten a month after they expired", async () => {
    const { server, owner, share } = await market(await serve());
    const { id } = await share(undefined, { password: "lamp in the dark" });
    await owner.delete(`/shares/${id}`);
    const entries = await server.deps.store.read((q) =>
      q.all<{ action: string; state_after: string }>(
        "SELECT action, state_after FROM audit_entries WHERE target_id = ? ORDER BY id",
        id,
      ),
    );
    expect(entries.map(({ action }) => action)).toEqual(["share.create", "share.revoke"]);
    expect(JSON.parse(entries[0]!.state_after)).toMatchObject({ hasPassword: true, withName: false, withNotes: false });

    const kept = async () => (await listed(owner)).map(({ state }) => state);
    await share(undefined, { validForSeconds: 3600 });
    await startRetention(server.deps);
    await server.advance(30 * day);
    expect(await kept()).toEqual(["expired"]);
    await server.advance(2 * hour);
    expect(await kept()).toEqual([]);

    await share();
    await server.deps.store.write((tx) =>
      erase(tx, { id: owner.id, email: "", displayName: "Owner", companyName: "Owner" }, server.clock.now()),
    );
    expect(await server.deps.store.read((q) => q.all("SELECT id FROM shares"))).toEqual([]);
  });
});
