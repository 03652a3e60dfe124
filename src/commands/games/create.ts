import { define } from "../../cli/define.ts";
import { categoryIds } from "../../cli/names.ts";
import { languageTag } from "../../contract/text/language-tag.ts";
import { requireLanguages } from "./languages.ts";
import { changedGameView } from "./view.ts";

export const create = define({
  name: "create",
  summary: "Create a game",
  operation: "createGame",
  body: "createGame",
  requiredHints: {
    buildUrl:
      "Pass the address where playtesters get the game. To upload a build instead, pass the game's website for now, then run " +
      "`playtest games push FOLDER`.",
  },
  examples: [
    "playtest games create --name 'Star Miner' --build-url https://example.com/star-miner.zip --devices PC,Mac --languages en,pt-BR",
    "playtest games create -f game.yaml",
  ],
  async run({ body }, ctx) {
    if (body.languages) body.languages = body.languages.map((tag) => languageTag(tag) ?? tag);
    if (body.tags) body.tags = await categoryIds(ctx, body.tags);
    await requireLanguages(ctx, body);
    const data = await ctx.api().createGame({ body });
    ctx.out.note(`Created ${data.game.name}. Order playtests with \`playtest order ${data.game.id}\`.`);
    return ctx.item(data, changedGameView(body, data.game));
  },
});
