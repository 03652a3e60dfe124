import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, giveVideo, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { connect } from "../helpers/mcp.ts";
import { insertRows } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const bytesOf = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));

/** The longest texts that the API takes, of three bytes each sign, with quotation marks that JSON escapes. */
const long = (units: number) => '"灯'.repeat(units / 2);

/** Copies of a playtest, as if each had been ordered. */
async function copies({ deps }: TestServer, playtestId: string, count: number): Promise<void> {
  await deps.store.write(async (tx) => {
    const row = (await tx.one<Record<string, unknown>>("SELECT * FROM playtests WHERE id = ?", playtestId))!;
    for (let made = 0; made < count; made += 100)
      await insertRows(
        tx,
        "playtests",
        Array.from({ length: 100 }, () => ({ ...row, id: deps.newId() })),
      );
  });
}

onBothDatabases("mcp: size", (serve) => {
  // One test, because making the account takes longest.
  it("of an account with 2,000 playtests, the list of tools is at most 10 kB and every answer at most 12 kB", {
    timeout: 300_000,
  }, async () => {
    const server = await serve();
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 1_000_000);
    const gameId = await createGame(owner, { name: long(200) });
    await createGame(owner, { name: "Another" });
    await owner.post("/billing/budgets", { period: "day", limitCents: 10_000_000 });
    const playtest = await order(owner, gameId, { quantity: 40, notesForTesters: long(5_000) });
    const slots: string[] = [];
    for (let n = 0; n < 20; n++) {
      const tester = await registerPlaytester(server, `Tester ${n}`);
      const slotId = await claim(tester, playtest);
      await giveVideo(server, slotId, tester);
      const notes = `dark ${long(4_900)}`;
      expect((await tester.post(`/playtester/slots/${slotId}/submit`, { notes })).status).toBe(200);
      slots.push(slotId);
    }
    const [slot] = slots;
    const cue = (n: number) => {
      const at = `${String(Math.floor(n / 3600)).padStart(2, "0")}:${String(Math.floor(n / 60) % 60).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`;
      return `${at}.000 --> ${at}.900\ndark ${n} ${"灯".repeat(40)}\n`;
    };
    const vtt = `WEBVTT\n\n${Array.from({ length: 4_000 }, (_, n) => cue(n)).join("\n")}`;
    expect((await server.request("PUT", `/slots/${slot}/transcript`, { key: owner.key, body: { vtt } })).status).toBe(200);
    await server.advance(0);
    let finding = "";
    for (let n = 0; n < 25; n++) {
      const body = { title: `${n} ${long(190)}`, text: long(4_900) };
      finding = (await owner.post(`/games/${gameId}/findings`, body)).body.data.finding.id;
    }
    for (const slotId of slots) await owner.post(`/findings/${finding}/evidence`, { slotId, fromMs: 5_000 });
    // One that nothing was paid for, so that the ledger still balances.
    await copies(server, await order(owner, gameId, { visibility: "public" }), 2_000);

    const options = { baseUrl: server.baseUrl, key: owner.key, folder: freshFolder() };
    // The newest revision says most beside the tools, and only over stdio all of them are there.
    const { client } = await connect({ ...options, transport: "stdio", answer: "accept" });
    const listed = await client.listTools();
    expect(listed.tools).toHaveLength(14);
    expect(bytesOf(listed)).toBeLessThanOrEqual(10_000);

    const { call } = await connect(options);
    const limit = 20;
    const calls: [string, object][] = [
      ["status", {}],
      ["list_games", { limit }],
      ["list_playtests", { limit }],
      ["list_playtests", { game: gameId, limit, fields: ["status"] }],
      ["list_playtests", { status: "cancelled", limit }],
      ["get_playtest", { playtest, limit }],
      ["get_submission", { slot }],
      ["get_submission", { slot: slots[1] }],
      ["read_transcript", { slot }],
      ["search_feedback", { query: "dark", limit }],
      ["list_findings", { game: gameId, limit }],
      ["list_findings", { finding, limit }],
      ["wait_for", { playtest, seconds: 0 }],
      ["quote_order", { game: gameId, notesForTesters: long(5_000) }],
    ];
    const sizes: Record<string, number> = {};
    for (const [name, args] of calls) {
      const answer = await call(name, args as Record<string, unknown>);
      expect(answer.isError, JSON.stringify(answer)).toBeUndefined();
      sizes[`${name} ${Object.keys(args).join()}`] = bytesOf(answer);
    }
    expect(Object.entries(sizes).filter(([, size]) => size > 12_000)).toEqual([]);

    // What was cut can be read on, to the last item.
    const ids = new Set<string>();
    let cursor: string | undefined;
    do {
      const { structuredContent: page } = await call("list_playtests", { limit, cursor });
      for (const { id } of page.playtests) ids.add(id);
      expect(page.truncated).toBe(page.cursor !== undefined);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(ids.size).toBe(2_002);
    let [from, cues] = [0, 0];
    for (;;) {
      const { structuredContent: part } = await call("read_transcript", { slot, from });
      cues += part.cues;
      if (!part.truncated) break;
      from = part.continueFrom;
    }
    expect(cues).toBe(4_000);
  });
});
