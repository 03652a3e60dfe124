import { col, define, type Group } from "../../cli/define.ts";

const nameView = { columns: [col("id", "id", "id"), col("name", "name")] };
const categoryView = { columns: [...nameView.columns, col("slug", "slug")] };

const categories = define({
  name: "categories",
  summary: "List game categories; a game's tags are category ids",
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

export const info: Group = { commands: [categories, devices, platforms] };
