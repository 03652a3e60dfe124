import { type Context, define, type Group, type ItemOf, type Row, viewOf } from "../../cli/define.ts";

const nameView = viewOf<ItemOf<"listDevices">>(["id", "name"]);
const categoryView = viewOf<ItemOf<"listCategories">>(["id", "name", "slug"]);

/** A name that a game can have, with its kind. Only categories have a slug. */
type Name = Row<"kind" | "name" | "slug">;

const kinds = { listCategories: "category", listDevices: "device", listPlatforms: "platform" } as const;

/** The items of one list, each with its kind. */
async function ofKind(ctx: Context, operation: keyof typeof kinds): Promise<Name[]> {
  const found: Name[] = [];
  for await (const { items } of ctx.pages(operation, {}, { all: true }))
    found.push(...items.map((item) => ({ kind: kinds[operation], ...(item as Row<"name" | "slug">) })));
  return found;
}

const list = define({
  name: "list",
  aliases: ["ls"],
  summary: "List everything that a game can name: categories, devices, platforms",
  operation: ["listCategories", "listDevices", "listPlatforms"],
  examples: ["playtest info list", "playtest info list --json=kind,name"],
  async run(_, ctx) {
    const all = await Promise.all((Object.keys(kinds) as (keyof typeof kinds)[]).map((operation) => ofKind(ctx, operation)));
    return ctx.rows("names", all.flat(), viewOf<Name>(["kind", "name", "slug"]));
  },
});

const categories = define({
  name: "categories",
  summary: "List game categories; a game's tags name them",
  operation: "listCategories",
  list: true,
  examples: ["playtest info categories"],
  view: categoryView,
});

const devices = define({
  name: "devices",
  operation: "listDevices",
  list: true,
  examples: ["playtest info devices"],
  view: nameView,
});

const platforms = define({
  name: "platforms",
  operation: "listPlatforms",
  list: true,
  examples: ["playtest info platforms"],
  view: nameView,
});

export const info: Group = { commands: [list, categories, devices, platforms], fallback: "list" };
