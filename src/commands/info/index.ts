import { col, define, type Group } from "../../cli/define.ts";

const named = { columns: [col("id", "id", "id"), col("name", "name")] };
const withSlug = { columns: [...named.columns, col("slug", "slug")] };

const categories = define({
  name: "categories",
  summary: "List game categories; their ids are a game's tags",
  operation: "listCategories",
  list: true,
  examples: ["playtest info categories"],
  run: async ({ range }, ctx) => ctx.list("listCategories", {}, range, withSlug),
});

const devices = define({
  name: "devices",
  summary: "List devices",
  operation: "listDevices",
  list: true,
  examples: ["playtest info devices"],
  run: async ({ range }, ctx) => ctx.list("listDevices", {}, range, named),
});

const platforms = define({
  name: "platforms",
  summary: "List platforms",
  operation: "listPlatforms",
  list: true,
  examples: ["playtest info platforms"],
  run: async ({ range }, ctx) => ctx.list("listPlatforms", {}, range, named),
});

export const info: Group = { commands: [categories, devices, platforms] };
