import { describe, expect } from "vitest";
import type { Exchange } from "../../server/mcp/tool.ts";
import { review } from "../../server/mcp/tools/review.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { clientKinds, connect, type ToolReply, transports } from "../helpers/mcp.ts";
import type { TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

/** An owner with credit and a game, and keys of theirs. */
async function studio(server: TestServer) {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  const gameId = await factories.createGame(owner, { name: "Lantern Deep" });
  const key = async (body: object = {}): Promise<factories.Person & { keyId: string }> => {
    const reply = await owner.post("/auth/api-keys", { name: "agent", ...body });
    expect(reply.status).toBe(201);
    return { ...factories.personWith(server, reply.body.data.apiKey, owner.id), keyId: reply.body.data.key.id };
  };
  const orders = async () => (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests.length as number;
  const balance = async () => (await owner.get("/billing/balance")).body.data.balanceCents as number;
  return { owner, gameId, key, orders, balance };
}

const perDay = { period: "day", limitCents: 10_000 };
const line = (reply: ToolReply) => reply.content[0]!.text;

/** Claims and submits a slot of a playtest, whose transcript then says this. */
async function submit(server: TestServer, owner: factories.Person, playtestId: string, words: string, notes = "It was fun.") {
  const tester = await factories.registerPlaytester(server, `Tester of ${playtestId.slice(-4)}`);
  const slotId = await factories.claim(tester, playtestId);
  await factories.giveVideo(server, slotId, tester);
  expect((await tester.post(`/playtester/slots/${slotId}/submit`, { notes })).status).toBe(200);
  const vtt = `WEBVTT\n\n00:00:05.000 --> 00:00:10.000\n${words}\n`;
  const { status } = await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt } });
  expect(status).toBe(200);
  await server.advance(0);
  return slotId;
}

onBothDatabases("mcp", (_serve, it) => {
  describe.each(transports)("over %s", (transport) => {
    it.for(clientKinds)("%s reads, quotes, orders, waits, searches and accepts", async (kind, { server }) => {
      const { owner, gameId, key, balance } = await studio(server);
      const agent = await key({ budgets: [perDay] });
      const options = { kind, transport, baseUrl: server.baseUrl, key: agent.key, folder: freshFolder() };
      const { call, tools } = await connect(options);
      expect(await tools()).toContain("order_playtest");
      expect((await call("list_games")).structuredContent.games).toMatchObject([{ id: gameId, name: "Lantern Deep" }]);
      const wanted = { game: gameId, quantity: 2, minutes: 60 };
      const quoted = await call("quote_order", wanted);
      expect(quoted.structuredContent).toMatchObject({ totalCents: 4_000, payWith: "credit", needsApproval: false });
      const ordered = await call("order_playtest", { ...wanted, ref: "build 7", maxCostCents: 4_000 });
      expect(ordered.structuredContent).toMatchObject({
        status: "ordered",
        totalCents: 4_000,
        budgets: ["Left today: $60.00 of $100.00."],
      });
      const { playtest } = ordered.structuredContent;
      expect((await call("wait_for", { playtest, seconds: 0 })).structuredContent).toMatchObject({
        reached: false,
        nextPollSeconds: 30,
      });
      const slot = await submit(server, owner, playtest, "I cannot find the lantern.");
      expect((await call("wait_for", { playtest })).structuredContent).toMatchObject({ reached: true, slots: { submitted: 1 } });
      const found = await call("search_feedback", { query: "lantern", game: gameId });
      expect(found.structuredContent).toMatchObject({
        results: [{ source: "transcript", slot, second: 5 }],
        untrustedText: "1. I cannot find the lantern.",
      });
      const read = await call("read_transcript", { slot });
      expect(read.structuredContent).toMatchObject({ cues: 1, untrustedText: "[0:05] I cannot find the lantern." });
      const submission = await call("get_submission", { slot });
      expect(submission.structuredContent).toMatchObject({
        status: "submitted",
        hasTranscript: true,
        url: `${server.baseUrl}/studio/slots/${slot}`,
      });
      const accepted = await call("review", { slot, decision: "accept", rating: 5 });
      expect(accepted.structuredContent).toMatchObject({ slot, status: "accepted" });
      expect((await call("list_playtests")).structuredContent.playtests).toMatchObject([
        { id: playtest, slots: { open: 1, accepted: 1 } },
      ]);
      expect(await balance()).toBe(96_000);
    });
  });

  describe.each(transports)("create_finding over %s", (transport) => {
    it("creates nothing where its place is refused, and one finding for a repeated call", async ({ server }) => {
      const { owner, gameId, key } = await studio(server);
      const options = { transport, baseUrl: server.baseUrl, key: (await key()).key, folder: freshFolder() };
      const { call } = await connect(options);
      const create = (slot: string) => call("create_finding", { game: gameId, title: "Lost", slot, second: 5 });
      const numbers = async () =>
        (await call("list_findings", { game: gameId })).structuredContent.findings.map(
          ({ number }: { number: number }) => number,
        );
      const claimed = await factories.claim(await factories.registerPlaytester(server), await factories.order(owner, gameId));
      const refused = [await create(claimed), await create(claimed)].map(line);
      const noVideo = "CONFLICT: This slot has no video yet. Nothing was added.";
      expect([refused, await numbers()]).toEqual([[noVideo, noVideo], []]);
      const slot = await submit(server, owner, await factories.order(owner, gameId), "Where is it?");
      const [first, again] = [await create(slot), await create(slot)];
      expect([first.structuredContent.number, again.structuredContent, await numbers()]).toEqual([
        1,
        first.structuredContent,
        [1],
      ]);
      await owner.delete(`/findings/${first.structuredContent.finding}`);
      expect([(await create(slot)).structuredContent.number, await numbers()]).toEqual([2, [2]]);
    });
  });

  describe("positions in seconds", () => {
    /** Every cue starts where its seconds times 1,000 are a little more than its milliseconds. */
    const cues = Array.from({ length: 20 }, (_, n) => `00:00:02.${String(4 * n + 7).padStart(3, "0")}`);

    it("continue a transcript at the cue where it was cut, and are those of a finding", async ({ server }) => {
      const { owner, gameId, key } = await studio(server);
      const slot = await submit(server, owner, await factories.order(owner, gameId), "Where?");
      const vtt = `WEBVTT\n\n${cues.map((at) => `${at} --> 00:00:09.000\n${at} ${"灯".repeat(400)}\n`).join("\n")}`;
      await server.request("PUT", `/slots/${slot}/transcript`, { key: owner.key, body: { vtt } });
      await server.advance(0);
      const { call } = await connect({ baseUrl: server.baseUrl, key: (await key()).key });
      const read = async (args: object) => (await call("read_transcript", { slot, ...args })).structuredContent;
      let [answers, shown] = [0, 0];
      for (let from: number | undefined = 0; from !== undefined; answers++) {
        const part = await read({ from });
        shown += part.cues;
        from = part.continueFrom;
      }
      expect(answers).toBeGreaterThan(2);
      expect(shown).toBe(cues.length);
      expect(await read({ from: 2.007, to: 2.007 })).toMatchObject({ cues: 1, truncated: false });
      const { finding } = (await call("create_finding", { game: gameId, title: "Dark", slot, second: 1.001 })).structuredContent;
      expect((await owner.get(`/findings/${finding}`)).body.data.finding.evidence).toMatchObject([{ fromMs: 1_001 }]);
    });
  });

  describe("cursors", () => {
    it("of a finding continue its evidence, and what no list returned is refused", async ({ server }) => {
      const { owner, gameId, key } = await studio(server);
      const slot = await submit(server, owner, await factories.order(owner, gameId), "Where?");
      const evidence = Array.from({ length: 3 }, (_, n) => ({ slotId: slot, fromMs: n * 1_000 }));
      const { finding } = (await owner.post(`/games/${gameId}/findings`, { title: "Dark", evidence })).body.data;
      const { call } = await connect({ baseUrl: server.baseUrl, key: (await key()).key });
      const read = async (cursor?: string) =>
        (await call("list_findings", { finding: finding.id, limit: 2, cursor })).structuredContent;
      const first = await read();
      expect(first).toMatchObject({ evidence: [{ second: 0 }, { second: 1 }], truncated: true, cursor: "2" });
      expect(await read(first.cursor)).toMatchObject({ evidence: [{ second: 2 }], truncated: false });
      const placed = Buffer.from(JSON.stringify({ playtests: "x" })).toString("base64url");
      for (const [name, args] of [
        ["list_findings", { finding: finding.id, cursor: "x" }],
        ["list_playtests", { cursor: "x" }],
        ["list_playtests", { cursor: "e30" }],
        ["list_playtests", { cursor: placed }],
        ["list_playtests", { game: gameId, cursor: placed }],
      ] as const)
        expect(line(await call(name, args)), JSON.stringify(args)).toBe(
          "VALIDATION_ERROR: cursor: must be a cursor returned by this list. Start again without it",
        );
    });
  });

  describe("a decision whose slot cannot be read afterwards", () => {
    it.for([
      ["accept", "accepted"],
      ["reject", "rejected"],
    ] as const)("%s is reported as made", async ([decision, status]) => {
      const calls: string[] = [];
      const call = async (name: string) => {
        calls.push(name);
        if (name === "getSlot") throw new Error("The connection ended.");
      };
      const host = { call, reviewsPerDay: 10 } as unknown as Exchange["host"];
      const exchange = { host } as unknown as Exchange;
      const answer = await review.run({ slot: "s", decision, reason: "No sound." } as never, exchange);
      expect(answer).toMatchObject({ data: { slot: "s", status } });
      expect(calls).toEqual([`${decision}Slot`, "getSlot"]);
    });
  });

  describe("what a client is asked before it orders", () => {
    const users = ["accept", "decline", "cancel", "cannot"] as const;
    /** Without a session, the older revision cannot learn that a client could ask. */
    const knows = (transport: string, kind: string) => transport === "stdio" || kind.includes("2026");
    const cells = transports.flatMap((transport) =>
      clientKinds.flatMap((kind) =>
        users.map((user) => ({ transport, kind, user, asks: knows(transport, kind) && user !== "cannot" })),
      ),
    );

    it.for(cells)("$transport, $kind, $user: no budget", async ({ transport, kind, user, asks }, { server }) => {
      const { gameId, key, orders } = await studio(server);
      const agent = await key();
      const answer = user === "cannot" ? {} : { answer: user };
      const options = { transport, kind, baseUrl: server.baseUrl, key: agent.key, folder: freshFolder(), ...answer };
      const { tools, call, asked } = await connect(options);
      expect((await tools()).includes("order_playtest")).toBe(asks);
      const reply = await call("order_playtest", { game: gameId, ref: "one", maxCostCents: 2_000 });
      const status = reply.isError ? line(reply).split(":")[0] : reply.structuredContent.status;
      expect(status).toBe(asks ? (user === "accept" ? "ordered" : "declined") : "FORBIDDEN");
      expect(asked).toEqual(asks ? ["Order 1 slot of 60 minutes of Lantern Deep for $20.00?"] : []);
      expect(await orders()).toBe(status === "ordered" ? 1 : 0);
    });

    const someUsers = cells.filter(({ user }) => user === "decline" || user === "cannot");
    it.for(someUsers)("$transport, $kind, $user: a budget", async ({ transport, kind, user }, { server }) => {
      const { gameId, key, orders } = await studio(server);
      const agent = await key({ budgets: [perDay] });
      const answer = user === "cannot" ? {} : { answer: user };
      const options = { transport, kind, baseUrl: server.baseUrl, key: agent.key, folder: freshFolder(), ...answer };
      const { tools, call, asked } = await connect(options);
      expect(await tools()).toContain("order_playtest");
      const reply = await call("order_playtest", { game: gameId, ref: "one", maxCostCents: 2_000 });
      expect(reply.structuredContent.status).toBe("ordered");
      expect(asked).toEqual([]);
      expect(await orders()).toBe(1);
    });
  });
});
