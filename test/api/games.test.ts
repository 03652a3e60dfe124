import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, registerOwner } from "../helpers/factories.ts";

onBothDatabases("games", (serve, it) => {
  it("game: can be created, shown, changed and listed with its relations", async ({ owner }) => {
    const categories = (await owner.listCategories()).categories;
    expect(categories.length).toBeGreaterThanOrEqual(20);
    const tags = categories.slice(0, 2).map((category: { id: string }) => category.id);
    const id = await createGame(owner, {
      tags: [tags[0]!.toUpperCase(), tags[1]],
      devices: ["PC", "Mac"],
      platforms: ["Steam"],
      languages: ["EN", "pt-br", "en"],
      description: "Dark.",
    });
    expect((await owner.getGame({ params: { id } })).game).toMatchObject({
      description: "Dark.",
      categories: categories.slice(0, 2),
      devices: ["PC", "Mac"],
      platforms: ["Steam"],
      languages: ["en", "pt-BR"],
    });
    const changed = await owner.updateGame({
      params: { id },
      body: {
        devices: ["Linux"],
        languages: ["de"],
        tags: [],
        externalUrl: "https://example.com",
        description: "Darker.",
      },
    });
    expect(changed.game).toMatchObject({ description: "Darker.", externalUrl: "https://example.com" });
    expect(changed.game).not.toHaveProperty("devices");
    expect((await owner.updateGame({ params: { id }, body: { externalUrl: null } })).game.externalUrl).toBeNull();
    const cleared = await owner.updateGame({ params: { id }, body: { description: null, instructions: null } });
    expect(cleared.game).toMatchObject({ description: null, instructions: null });
    const [listed] = (await owner.listGames()).games;
    expect(listed).toMatchObject({ id, categories: [], devices: ["Linux"], platforms: ["Steam"], languages: ["de"] });
  });

  it("builds: one for the first and for each changed buildUrl", async ({ owner }) => {
    const id = await createGame(owner, { buildUrl: "https://example.com/1.zip" });
    for (const buildUrl of [
      "https://example.com/1.zip",
      "https://example.com/2.zip",
      "https://example.com/2.zip",
      "https://example.com/1.zip",
    ])
      await owner.updateGame({ params: { id }, body: { buildUrl } });
    const { builds } = await owner.listBuilds({ params: { id } });
    expect(builds.map((build: { buildUrl: string }) => build.buildUrl)).toEqual([
      "https://example.com/1.zip",
      "https://example.com/2.zip",
      "https://example.com/1.zip",
    ]);
  });

  it.for([
    { name: "an unknown tag", body: { tags: ["01900000-0000-7000-8000-000000000000"] }, field: "tags.0" },
    { name: "an unknown device", body: { devices: ["Toaster"] }, field: "devices.0" },
    { name: "an unknown platform", body: { platforms: ["Attic"] }, field: "platforms.0" },
    { name: "what is no language", body: { languages: ["en", "klingon!"] }, field: "languages.1" },
    { name: "a script as build", body: { buildUrl: "javascript:alert(1)" }, field: "buildUrl" },
  ])("create: $name is refused, and nothing is created", async ({ body, field }, { owner }) => {
    const reply = await owner.post("/games", { name: "Lantern Deep", buildUrl: "https://example.com/b.zip", ...body });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
    expect((await owner.listGames()).games).toEqual([]);
  });

  it("another owner's game: 404 like an unknown one", async ({ server }) => {
    const [owner, other] = [await registerOwner(server), await registerOwner(server)];
    const id = await createGame(owner);
    for (const path of [`/games/${id}`, `/games/${id}/builds`, `/games/${id}/playtests`]) {
      const [foreign, absent] = [
        await other.get(path),
        await other.get(path.replace(id, "01900000-0000-7000-8000-000000000000")),
      ];
      expect([foreign.status, foreign.body.error]).toEqual([404, absent.body.error]);
    }
    expect((await other.patch(`/games/${id}`, { name: "Mine" })).status).toBe(404);
    expect((await owner.getGame({ params: { id } })).game.name).toBe("Lantern Deep");
  });

  it("lets an account have as many as the server allows", async () => {
    const server = await serve({ config: (config) => (config.games.maxPerAccount = 2) });
    const [owner, other] = [await registerOwner(server), await registerOwner(server)];
    await createGame(owner);
    await createGame(owner);
    const refused = await owner.post("/games", { name: "Third", buildUrl: "https://example.com/b.zip" });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "An account can have at most 2 games. Nothing was created. Ask the operator of this server for more.",
    ]);
    await createGame(other);
    expect((await owner.listGames()).games).toHaveLength(2);
  });
});
