import { arg, col, define, flag, prose, type View } from "../../cli/define.ts";

const keyView: View = {
  columns: [
    col("id", "id", "id"),
    col("name", "name"),
    col("prefix", "prefix"),
    prose("scopes", "scopes"),
    col("last used", "lastUsedAt", "ago"),
    col("expires", "expiresAt", "ago"),
    col("created", "createdAt", "ago"),
  ],
};

export const keysList = define({
  name: "keys list",
  summary: "List your API keys",
  operation: "listApiKeys",
  list: true,
  examples: ["playtest auth keys list"],
  run: async ({ range }, ctx) => ctx.list("listApiKeys", {}, range, keyView),
});

export const keysCreate = define({
  name: "keys create",
  summary: "Create an API key (shown once)",
  operation: "createApiKey",
  body: "createApiKey",
  bodyOmit: ["password", "email"],
  flags: { secretFile: flag.text("Write the key to a new file that only you can read", { value: "FILE" }) },
  examples: [
    "playtest auth keys create --name ci --scopes game_owner,billing",
    "playtest auth keys create --name ci --secret-file key.txt",
  ],
  async run({ body, flags }, ctx) {
    await ctx.reserveSecret(flags.secretFile);
    const data = await ctx.api().createApiKey({ body });
    ctx.out.note(`Created the API key ${data.key.name}. It will not be shown again.`);
    return ctx.secret(data.apiKey, flags.secretFile, data);
  },
});

export const keysRevoke = define({
  name: "keys revoke",
  summary: "Revoke an API key",
  operation: "revokeApiKey",
  args: { key: arg.id("Key id", "listApiKeys") },
  confirm: ({ args }) => `Revoke API key ${args.key}? Everything that uses it stops working immediately.`,
  examples: ["playtest auth keys revoke 4f6a1b2c --yes"],
  async run({ args }, ctx) {
    const data = await ctx.api().revokeApiKey({ params: { id: args.key } });
    return ctx.text(data.message, data);
  },
});
