import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startRetention } from "../../server/operations/retention.ts";
import { erase } from "../../server/personal/erase-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  createGame,
  giveCredit,
  giveVideo,
  order,
  type Person,
  play,
  registerOwner,
  registerPlaytester,
} from "../helpers/factories.ts";
import { claimWith, confirm, teamMarket } from "../helpers/friends.ts";
import { visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const vtt = `WEBVTT Kind: captions of Pia

STYLE
::cue(v[voice="Pia"]) { color: red }

00:00:01.000 --> 00:00:04.000
<v Pia>Where is the lamp?

NOTE Pia lives in Bonn

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

/** Servers that cut with a stand-in for ffmpeg. */
const cutting = {
  config: ({ clips }: TestServer["deps"]["config"]) => {
    clips.ffmpeg = [process.execPath, fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url)), "cut"];
  },
};

const open = [200, 200, 200, 200];
const gone = [404, 404, 404, 404];

onBothDatabases("shares", (serve) => {
  it("without the name: the transcript names nobody of a team, not even where one cue has several speakers", async () => {
    const { server, owner, ann, ben, cleo, playtestId } = await teamMarket(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    for (const person of [ben, cleo]) await confirm(person, slotId);
    await giveVideo(server, slotId, ann);
    await ann.submitSlot({ params: { id: slotId } });
    const said =
      "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nAnn: Where to?\nBen: Left.\n\n00:00:05.000 --> 00:00:06.000\n<v Cleo>No!\n";
    await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: said } });
    const captions = async (body: object) => {
      const { share } = (await owner.post(`/slots/${slotId}/shares`, body)).body.data;
      const page = await visitor(server).get(pathOf(share));
      const file = await visitor(server).get(`${pathOf(share)}/${slotId}/captions`);
      return [page.html, file.html].map((text) =>
        ["Ann: Where to? Ben: Left.", "Where to? Left.", "Cleo"].filter((one) => text.includes(one)),
      );
    };
    expect(await captions({})).toEqual([["Where to? Left."], ["Where to? Left."]]);
    const named = ["Ann: Where to? Ben: Left.", "Cleo"];
    expect(await captions({ withName: true })).toEqual([named, named]);
  });

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
    expect([part.status, await part.text(), part.headers.get("cache-control")]).toEqual([206, "ftypisom", "private, no-store"]);
    expect(part.headers.get("content-disposition")).toContain("video.mp4");
    expect(part.headers.get("content-disposition")).not.toContain("play.mp4");
    const captions = await (await fetch(`${server.baseUrl}${path}/${slotId}/captions`)).text();
    expect(captions).toBe(
      "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nWhere is the lamp?\n\n00:12:41.500 --> 00:12:44.000\nI am lost.\n",
    );
  });

  it("hide the playtester's name wherever a transcript can have it", async () => {
    const { server, owner, slotId, share } = await market(await serve());
    const places = ["WEBVTT - Pia", "NOTE recorded by Pia", "STYLE\n::cue(v[voice=Pia]) { color: red }", "REGION\nid:Pia"];
    const spoken = ["<v Pia>", "<v.loud Pia>", "<v\tPia>", "Pia: ", "PIA:", "<c.Pia>", "<i>ok</i> <v Pia"];
    const cue = (text: string, at: number) => `Pia ${at}\n00:00:0${at}.000 --> 00:00:0${at}.500 region:Pia\n${text} lamp ${at}`;
    await server.request("PUT", `/slots/${slotId}/transcript`, {
      key: owner.key,
      body: { vtt: [...places, ...spoken.map(cue)].join("\n\n") },
    });
    const path = pathOf(await share());
    const captions = await (await fetch(`${server.baseUrl}${path}/${slotId}/captions`)).text();
    for (const text of [captions, (await visitor(server).get(path)).html]) {
      expect(text).not.toMatch(/pia/i);
      expect(text).toContain("lamp 5");
    }
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
    expect(await statuses(world, pathOf(short))).toEqual([410, 410, ...gone.slice(2)]);
    expect(await listed(owner)).toMatchObject([{ id: short.id, state: "expired" }]);
    const shown = async (path: string) => (await visitor(server).get(path)).html;
    const expired = await shown(pathOf(short));
    expect(expired).toContain("This link has expired");
    expect(expired).toContain('<a class="brand" href="/">');
    const revokedPage = await shown(pathOf(revoked));
    expect(revokedPage).toContain("This link is not known here.");
    expect(revokedPage).toContain('<a class="brand" href="/">');
    expect(revokedPage).toBe(await shown("/share/never-existed"));
  });

  it.each([
    ["the slot is rejected", async ({ owner, slotId }: Market) => owner.post(`/slots/${slotId}/reject`, { reason: "Silent." })],
    [
      "the game is suspended",
      async ({ server, gameId }: Market) =>
        server.deps.store.write((tx) => tx.run("UPDATE games SET status = 'suspended' WHERE id = ?", gameId)),
    ],
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
    expect(await (await fetch(server.baseUrl + path, { headers: { cookie: given } })).text()).not.toContain('property="og:');
    // The proof is of this share, of this password, and of this time.
    const other = pathOf(await share(undefined, { password: "lamp in the dark" }));
    expect((await statuses(world, other, given)).slice(2)).toEqual([404, 404]);
    const later = given.replace(/=(\d+)\./, (_, until: string) => `=${Number(until) + day}.`);
    expect((await statuses(world, path, later)).slice(2)).toEqual([404, 404]);
    await server.advance(12 * hour);
    expect((await statuses(world, path, given)).slice(2)).toEqual([404, 404]);
  });

  it("take no password that is among the first guesses, and are refused for a suspended game", async () => {
    const { server, owner, gameId, slotId } = await market(await serve());
    const create = (body: object) => owner.post(`/slots/${slotId}/shares`, body);
    const common = await create({ password: "Password1" });
    expect([common.status, common.body.error.details]).toEqual([
      422,
      [
        {
          field: "password",
          message: "is one of the 10,000 most common passwords, which are guessed first. Choose another",
        },
      ],
    ]);
    await server.deps.store.write((tx) => tx.run("UPDATE games SET status = 'suspended' WHERE id = ?", gameId));
    const refused = await create({});
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "This game is suspended, so its videos cannot be shared. Nothing was shared. Ask the operator of this server.",
    ]);
    expect(await listed(owner)).toEqual([]);
  });

  it("limit how often passwords are tried at the same time", async () => {
    const { server, share } = await market(await serve({ config: (config) => (config.limits.enabled = true) }));
    const path = pathOf(await share(undefined, { password: "lamp in the dark" }));
    const tried = await Promise.all(Array.from({ length: 12 }, () => visitor(server).send(path, { password: "guess" })));
    expect(tried.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(5);
    expect((await visitor(server).send(path, { password: "lamp in the dark" })).status).toBe(429);
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
      erase(tx, { id: owner.id, role: "game_owner", email: "", displayName: "Owner", companyName: "Owner" }, server.clock.now()),
    );
    expect(await server.deps.store.read((q) => q.all("SELECT id FROM shares"))).toEqual([]);
  });
  it("show a clip with what is said and noted in it, and nothing of the rest of the video; they end with the clip", async () => {
    const server = await serve(cutting);
    const { owner, slotId, share } = await market(server);
    const note = async (atMs: number, text: string) =>
      (await owner.post(`/slots/${slotId}/moments`, { atMs, text })).body.data.moment.id as string;
    const [early] = [await note(5000, "Before the clip"), await note(761_000, "In the clip")];
    await owner.post(`/slots/${slotId}/moments`, { atMs: 763_000, endMs: 770_000, text: "Where it ends" });
    const part = { atMs: 760_000, endMs: 763_000, name: "Lost & found" };
    const clipId: string = (await owner.post(`/slots/${slotId}/clips`, part)).body.data.clip.id;
    const pending = await owner.post(`/clips/${clipId}/shares`, {});
    expect([pending.status, pending.body.error.message]).toEqual([409, expect.stringContaining("This clip cannot be shared")]);
    await server.advance(0);
    expect((await owner.post(`/clips/${clipId}/shares`, { noteIds: [early] })).status).toBe(422);
    expect((await (await registerOwner(server, "Eve")).post(`/clips/${clipId}/shares`, {})).status).toBe(404);

    const shared = await share(`/clips/${clipId}`, { withNotes: true });
    expect(shared).toMatchObject({ kind: "clip", slotId, clipId, state: "active" });
    expect(await listed(owner, `?slot=${slotId}`)).toMatchObject([{ id: shared.id, kind: "clip" }]);
    const path = pathOf(shared);
    const page = await (await fetch(server.baseUrl + path)).text();
    const has = (...texts: string[]) => texts.map((text) => page.includes(text));
    expect(has("Clip: Lost &amp; found", "In the clip", "I am lost.", 'data-at="1000"')).toEqual([true, true, true, true]);
    expect(page).toContain('data-at="3000">0:03</a></td><td>Note</td><td>Where it ends');
    expect(has("Before the clip", "Where is the lamp")).toEqual([false, false]);
    const poster = `${path}/${slotId}/poster`;
    expect(has(` poster="${poster}"`, `<meta property="og:image" content="${server.baseUrl}${poster}">`)).toEqual([true, true]);
    const locked = await share(`/clips/${clipId}`, { password: "correct horse" });
    expect(await (await fetch(locked.url)).text()).not.toContain("og:image");
    expect((await fetch(`${locked.url}/${slotId}/poster`)).status).toBe(404);
    await owner.delete(`/shares/${locked.id}`);
    const file = (name: string) => fetch(`${server.baseUrl}${path}/${slotId}/${name}`);
    expect((await file("video")).headers.get("content-type")).toBe("video/mp4");
    expect(await (await file("captions")).text()).toBe("WEBVTT\n\n00:00:01.500 --> 00:00:03.000\nI am lost.\n");
    // An image of the clip, a tenth after its start.
    expect(JSON.parse(await (await file("poster")).text()).args).toContain("760.300");

    await owner.delete(`/clips/${clipId}`);
    expect([await statuses({ server, slotId }, path), await listed(owner)]).toEqual([gone, []]);
  });

  it("show the poster and the still images of the notes that they show, and name the poster for previews without a password", async () => {
    const server = await serve(cutting);
    const { owner, slotId, playtestId, share } = await market(server);
    const picture = async (text: string) => {
      const { id } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 5000, text })).body.data.moment;
      await server.request("PUT", `/moments/${id}/still`, { key: owner.key });
      return id as string;
    };
    const [shown, hidden] = [await picture("Shown"), await picture("Hidden")];
    await server.advance(0);
    const [slot, playtest] = [await share(undefined, { noteIds: [shown] }), await share(`/playtests/${playtestId}`)];
    const locked = await share(undefined, { password: "correct horse", withNotes: true });
    const html = async (one: Share) => (await fetch(one.url)).text();
    const poster = (one: Share) => `${one.url}/${slotId}/poster`;
    for (const one of [slot, playtest]) expect(await html(one)).toContain(`<meta property="og:image" content="${poster(one)}">`);
    expect(await html(slot)).toContain(`poster="${pathOf(slot)}/${slotId}/poster"`);
    const files = `${pathOf(slot)}/${slotId}`;
    expect(await html(slot)).toContain(`<a href="${files}/stills/${shown}"><img src="${files}/thumbnails/${shown}"`);
    expect(await html(locked)).not.toContain("og:image");
    const image = await fetch(poster(slot));
    expect([image.status, image.headers.get("content-type"), image.headers.get("cache-control")]).toEqual([
      200,
      "image/jpeg",
      "private, no-store",
    ]);
    const still = (one: Share, id: string, size = "stills") => fetch(`${one.url}/${slotId}/${size}/${id}`);
    for (const size of ["stills", "thumbnails"]) {
      const asked = [[slot, shown] as const, [slot, hidden] as const, [playtest, shown] as const, [locked, shown] as const];
      const seen = await Promise.all(asked.map(async ([one, id]) => (await still(one, id, size)).status));
      expect([size, ...seen]).toEqual([size, 200, 404, 404, 404]);
    }
    expect((await fetch(poster(locked))).status).toBe(404);
    await owner.delete(`/shares/${slot.id}`);
    const ended = [await fetch(poster(slot)), await still(slot, shown), await still(slot, shown, "thumbnails")];
    expect(ended.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
