import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CliError, createClient, OutcomeUnknown } from "../../src/index.ts";
import { testFolder } from "../helpers/cli.ts";
import { ownerWithGame, type Person } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { stubServer } from "../helpers/stub-server.ts";

/** The client that scripts import, against a real server. */
let server: TestServer;
let owner: Person;
let gameId: string;
beforeAll(async () => {
  server = await ownServer();
  ({ owner, gameId } = await ownerWithGame(server, 100_000, "Ada"));
  return server.close;
});

const client = (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
  createClient({ baseUrl: server.baseUrl, apiKey: owner.key, retries: 0, ...options });

describe("the library", () => {
  it("lists without an input, page after page, as many as wanted", async () => {
    const playtest = client();
    for (let i = 0; i < 3; i++) await playtest.createPlaytest({ params: { gameId }, body: {} });
    expect((await playtest.listGames()).games.map(({ id }) => id)).toEqual([gameId]);
    const sizes: number[] = [];
    const ids = new Set<string>();
    for await (const { items } of playtest.pages("listPlaytests", { params: { gameId }, query: { limit: 1 } }, { limit: 2 })) {
      sizes.push(items.length);
      for (const { id } of items) ids.add(id);
    }
    expect([sizes, ids.size]).toEqual([[2], 2]);
    await playtest.close();
  });

  it("orders once under one idempotency key", async () => {
    const playtest = client();
    const order = { params: { gameId }, body: { quantity: 1 }, idempotencyKey: "nightly-1" };
    const [first, again] = [await playtest.createPlaytest(order), await playtest.createPlaytest(order)];
    expect(again).toEqual(first);
    await playtest.close();
  });

  it("throws what the server says, with what a script decides by", async () => {
    const playtest = client();
    const error = await playtest.getGame({ params: { id: "019a0000-0000-7000-8000-000000000000" } }).catch((caught) => caught);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ code: "NOT_FOUND", exitCode: 3, extra: { httpStatus: 404 } });
    await playtest.close();
  });

  it("names the key of a change whose reply was lost", async () => {
    const { baseUrl } = await stubServer([{ on: "POST /games", instead: "drop" }]);
    const playtest = client({ baseUrl });
    const body = { name: "Moon Miner", buildUrl: "https://example.com/a.zip" };
    const error = await playtest.createGame({ body, idempotencyKey: "mine" }).catch((caught) => caught);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error).toMatchObject({ exitCode: 12, idempotencyKey: "mine" });
    await playtest.close();
  });

  it.each(["of the client", "of one request"])("ends at the signal %s", async (whose) => {
    const { baseUrl, arrived } = await stubServer([{ on: "GET /games", instead: "hang" }]);
    const stopping = new AbortController();
    const signal = stopping.signal;
    const playtest = client({ baseUrl, ...(whose === "of the client" && { signal }) });
    const asked = playtest.listGames(whose === "of one request" ? { signal } : undefined).catch((error: unknown) => error);
    await arrived(1);
    stopping.abort(new Error("enough"));
    expect(await asked).toMatchObject({ message: "enough" });
    await playtest.close();
  });

  it("uploads a build, and says when a server takes none", async () => {
    const playtest = client();
    const directory = testFolder();
    const file = join(directory, "game.zip");
    writeFileSync(file, "PK".repeat(50_000));
    const sha256 = createHash("sha256").update("PK".repeat(50_000)).digest("hex");
    const metadata = { filename: "game.zip", filetype: "application/zip", sha256 };
    let told = 0;
    await playtest.upload({ path: `/games/${gameId}/builds`, file, metadata, directory, progress: (sent) => (told = sent) });
    expect((await playtest.listBuilds({ params: { id: gameId } })).builds[0]).toMatchObject({ size: 100_000 });
    expect(told).toBe(100_000);
    const error = { code: "NOT_FOUND", message: "Not found" };
    const { baseUrl } = await stubServer([
      { on: "POST /games/1/builds", status: 404, error },
      { on: "GET /info/server", status: 404, error },
    ]);
    const hosted = client({ baseUrl });
    const refused = await hosted.upload({ path: "/games/1/builds", file, metadata, directory }).catch((caught) => caught);
    expect(refused).toMatchObject({ code: "NOT_OFFERED", exitCode: 3 });
    for (const one of [playtest, hosted]) await one.close();
  });
});
