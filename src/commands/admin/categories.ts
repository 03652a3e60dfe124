import { arg, define, flag } from "../../cli/define.ts";
import { categoryView, statsView } from "./view.ts";

export const categoriesList = define({
  name: "categories list",
  aliases: ["categories"],
  operation: "listCategories",
  list: true,
  examples: ["playtest admin categories list"],
  view: categoryView,
});

export const categoriesCreate = define({
  name: "categories create",
  summary: "Add a game category",
  operation: "createCategory",
  args: { name: arg.text("Name of the category") },
  flags: { slug: flag.text("Short name for URLs (default: made from the name)") },
  examples: ["playtest admin categories create 'Auto Battler'"],
  async run({ args, flags }, ctx) {
    const defaultSlug = args.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    return ctx.item(await ctx.api().createCategory({ body: { name: args.name, slug: flags.slug ?? defaultSlug } }), categoryView);
  },
});

export const stats = define({
  name: "stats",
  summary: "Show statistics of the marketplace",
  operation: "getStats",
  examples: ["playtest admin stats", "playtest admin stats --jq .openSlots"],
  view: statsView,
});
