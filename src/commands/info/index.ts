import { type Context, col, define, type Group } from "../../cli/define.ts";

const nameView = { columns: [col("id", "id", "id"), col("name", "name")] };
const categoryView = { columns: [...nameView.columns, col("slug", "slug")] };

const kinds = { listCategories: "category", listDevices: "device", listPlatforms: "platform" } as const;

/** The items of one list, each with its kind. */
async function ofKind(ctx: Context, operation: keyof typeof kinds): Promise<object[]> {
  const found: object[] = [];
  for await (const { items } of ctx.pages(operation, {}, { all: true }))
    found.push(...items.map((item) => ({ kind: kinds[operation], ...(item as object) })));
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
    return ctx.rows("names", all.flat(), { columns: [col("kind", "kind"), ...nameView.columns.slice(1), col("slug", "slug")] });
  },
});

const categories = define({
  name: "categories",
  summary: "List game categories; a game's tags name them",
  operation: "listCategories",
  list: true,
  examples: ["playtest info categories"],
  run: async ({ range }, ctx) => ctx.list("listCategories", {}, range, categoryView),
});

const devices = define({
  name: "devices",
  summary: "List devices",
  operation: "listDevices",
  list: true,
  examples: ["playtest info devices"],
  run: async ({ range }, ctx) => ctx.list("listDevices", {}, range, nameView),
});

const platforms = define({
  name: "platforms",
  summary: "List platforms",
  operation: "listPlatforms",
  list: true,
  examples: ["playtest info platforms"],
  run: async ({ range }, ctx) => ctx.list("listPlatforms", {}, range, nameView),
});

export const info: Group = { commands: [list, categories, devices, platforms], fallback: "list" };
