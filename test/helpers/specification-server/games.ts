import { type Asked, type Handler, invalid, notFound, page, reply } from "./http.ts";
import { categories, devices, type Item, platforms, type State } from "./state.ts";

const names = ["name", "description", "instructions", "buildUrl", "coverImageUrl", "externalUrl"];
const sets = ["devices", "platforms", "tags"];

/** The fields of the body that the specification has. Others are noted. */
export function known(state: State, { method, path, body }: Asked, allowed: readonly string[]): Record<string, unknown> {
  for (const name of Object.keys(body))
    if (!allowed.includes(name)) state.beyond.push(`${method} ${path}: field ${name} of the body`);
  return Object.fromEntries(Object.entries(body).filter(([name]) => allowed.includes(name)));
}

export function gameRoutes(state: State): Record<string, Handler> {
  const find = (id: string | undefined) => state.games.find((game) => game.id === id) ?? raise();
  const raise = () => {
    throw notFound();
  };
  /** Relations are only in list and get. */
  const bare = ({ categories: _, devices: __, platforms: ___, ...game }: Item) => game;
  const listed = ({ ownerId: _, ...game }: Item) => game;

  function set(game: Item, given: Record<string, unknown>) {
    const { tags, ...rest } = given;
    if (rest.buildUrl !== undefined && !URL.canParse(String(rest.buildUrl))) throw invalid("buildUrl", "must be a valid URL");
    if (rest.buildUrl !== undefined && rest.buildUrl !== game.buildUrl)
      state.builds.unshift({
        id: state.newId("build"),
        gameId: game.id,
        buildUrl: String(rest.buildUrl),
        createdAt: state.now(),
      } as never);
    Object.assign(game, rest, { updatedAt: state.now() });
    if (Array.isArray(tags)) game.categories = categories.filter(({ id }) => tags.includes(id));
  }

  return {
    "GET /games": (asked) => page(asked, "games", state.games.map(listed)),
    "POST /games": (asked) => {
      const given = known(state, asked, [...names, ...sets]);
      for (const name of ["name", "buildUrl"]) if (given[name] === undefined) throw invalid(name, "is required");
      const game: Item = {
        id: state.newUuid(),
        ownerId: "user_owner",
        name: "",
        description: null,
        instructions: null,
        buildUrl: "",
        coverImageUrl: null,
        externalUrl: null,
        status: "active",
        createdAt: state.now(),
        updatedAt: state.now(),
        categories: [],
        devices: [],
        platforms: [],
      };
      set(game, given);
      state.games.unshift(game);
      return reply(201, { game: bare(game) });
    },
    "GET /games/:id": ({ params }) => reply(200, { game: listed(find(params.id)) }),
    "PATCH /games/:id": (asked) => {
      const game = find(asked.params.id);
      set(game, known(state, asked, [...names, ...sets]));
      const { ownerId: _, ...updated } = bare(game);
      return reply(200, updated);
    },
    "GET /games/:id/builds": (asked) => {
      const { id } = find(asked.params.id);
      return page(
        asked,
        "builds",
        state.builds.filter(({ gameId }) => gameId === id),
      );
    },
    "GET /info/categories": () => reply(200, { categories }),
    "GET /info/devices": () => reply(200, { devices }),
    "GET /info/platforms": () => reply(200, { platforms }),
  };
}
