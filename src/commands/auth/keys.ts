import type { Data } from "../../api/client.ts";
import { arg, type Context, define, detail, flag, type ItemOf, prose, shorter, viewOf } from "../../cli/define.ts";
import { notFound } from "../../errors.ts";
import { duration } from "../../io/text.ts";
import { combineBudgets, parseBudget } from "../shared/budgets/limits.ts";
import { codeFlag, withCodeIfNeeded } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";
import { forgetIfDead, replaceStored, requirePlaceForKey } from "./account.ts";

type Key = Data<"listApiKeys">["keys"][number];

const keyView = viewOf<ItemOf<"listApiKeys">>([
  "id",
  "name",
  "prefix",
  shorter(prose("scopes"), ({ connection, scopes }) => (connection ? `connected: ${connection.join(", ")}` : scopes)),
  "last used:lastUsedAt",
  "expires:expiresAt",
  "created:createdAt",
  detail("created with:parentId"),
  detail("replaces:rotatedFrom", "id"),
  detail("read-only:readOnly"),
  detail("connected program:connection"),
  detail("in use:current"),
]);

const keysList = define({
  name: "keys list",
  operation: "listApiKeys",
  list: true,
  examples: ["playtest auth keys list"],
  view: keyView,
});

const keysCreate = define({
  name: "keys create",
  summary: "Create an API key (shown once)",
  operation: "createApiKey",
  body: "createApiKey",
  bodyOmit: ["password", "email", "code", "budgets"],
  flags: {
    budget: flag.list("What the key may spend, such as 50/day, 200/month, 20/order or 5slots/day", {
      value: "LIMIT/PERIOD",
      field: "budgets",
    }),
    approveOver: flag.money("Orders of the key above this amount wait for your approval"),
    secretFile: flag.text("Write the key to a new file that only you can read", { value: "FILE" }),
  },
  examples: [
    "playtest auth keys create --name ci --scopes game_owner,billing",
    "playtest auth keys create --name agent --budget 50/day --budget 200/month --approve-over 20",
    "playtest auth keys create --name report --read-only",
    "playtest auth keys create --name ci --secret-file key.txt",
  ],
  async run({ body, flags }, ctx) {
    const given = flags.budget.map((text) => parseBudget(text, "--budget"));
    const budgets = [...((body.budgets ?? []) as typeof given), ...combineBudgets(given, flags.approveOver)];
    await ctx.reserveSecret(flags.secretFile);
    const data = await ctx.api().createApiKey({ body: { ...body, ...(budgets.length > 0 && { budgets }) } });
    ctx.out.note(`Created the API key ${data.key.name}. It will not be shown again.`);
    return ctx.secret(data.apiKey, flags.secretFile, data);
  },
});

/** The keys made with one of these or in its place, and with those, in the order of the list. Empty on an instance that does not tell. */
function madeWith(keys: readonly Key[], ids: readonly string[], isRevoked: boolean): Key[] {
  const children = keys.filter(({ parentId, rotatedFrom }) =>
    [parentId, isRevoked && rotatedFrom].some((from) => typeof from === "string" && ids.includes(from)),
  );
  if (children.length === 0) return [];
  // A key has one parent, and is in the place of an older one, so this ends.
  const found = new Set([
    ...children,
    ...madeWith(
      keys,
      children.map(({ id }) => id),
      isRevoked,
    ),
  ]);
  return keys.filter((key) => found.has(key));
}

async function allKeys(ctx: Context): Promise<Key[]> {
  const all: Key[] = [];
  for await (const { data } of ctx.pages("listApiKeys", {}, { all: true })) all.push(...data.keys);
  return all;
}

/** What ends together with a key, as part of a question. With one that is replaced ends only what was created with it. */
function endsWith(keys: readonly Key[], id: string, { isRevoked }: { isRevoked: boolean }): string {
  const more = madeWith(keys, [id], isRevoked);
  if (more.length === 0) return "";
  const names = more.map(({ name, prefix }) => `${name} (${prefix}…)`);
  return ` So ${more.length === 1 ? "does this key" : `do these ${more.length} keys`}, created with it${more.some(({ rotatedFrom }) => rotatedFrom) ? " or in its place" : ""}: ${names.join(", ")}.`;
}

const keysRevoke = define({
  name: "keys revoke",
  summary: "Revoke an API key and those created with it or in its place",
  operation: ["revokeApiKey", "listApiKeys"],
  args: { key: arg.id("Key id or name", "listApiKeys") },
  confirm: async ({ args }, ctx) =>
    `Revoke API key ${args.key}? Everything that uses it stops working immediately.${endsWith(await allKeys(ctx), args.key, { isRevoked: true })}`,
  examples: ["playtest auth keys revoke 4f6a1b2c --yes"],
  async run({ args }, ctx) {
    const data = await ctx.api().revokeApiKey({ params: { id: args.key } });
    return ctx.message(data, await forgetIfDead(ctx));
  },
});

const day = 86_400;

/** The id of the key in use. */
function keyInUse(keys: readonly Key[]): string {
  const current = keys.find((key) => key.current);
  if (!current) throw notFound("The key in use is not in the list of API keys.", "Pass the id of the key.");
  return current.id;
}

const secondsBetween = (from: number, to: string) => Math.max(0, Math.round((Date.parse(to) - from) / 1000));

/** How long a key still works, as a sentence says it. */
const grace = (seconds: number) => (seconds === 0 ? "immediately" : `in ${duration(seconds)}`);

const keysRotate = define({
  name: "keys rotate",
  summary: "Replace an API key with a new one (shown once)",
  description:
    "Creates a key with the same name, scopes and expiry. The old key, and the keys created with it, stop working after the grace period. Without KEY, replaces the key in use, and saves the new one if that key is stored for this profile. Revoking the old key also revokes the new one. After a leak, replace the key with --independent, which asks for the password, and then revoke the old one. Only the key in use and the keys created with it can be replaced without --independent.",
  operation: ["rotateApiKey", "listApiKeys"],
  args: { key: { ...arg.optional("Key id or name (default: the key in use)"), id: { pick: "listApiKeys", label: "name" } } },
  flags: {
    independent: flag.toggle("Ask for the password, and create a key that is not revoked with the old one"),
    passwordFile: flag.text("With --independent, read the password from a file; - reads standard input", {
      value: "FILE",
      field: "password",
    }),
    code: codeFlag,
    grace: flag.duration("How long the old key still works (default 24h; 0s ends it at once)", { max: 365 * 86_400 }),
    secretFile: flag.text("Write the key to a new file that only you can read", { value: "FILE" }),
  },
  confirm: async ({ args, flags }, ctx) => {
    const keys = await allKeys(ctx);
    const id = args.key ?? keyInUse(keys);
    const expiresAt = keys.find((key) => key.id === id)?.expiresAt;
    const left = expiresAt ? secondsBetween(ctx.serverNow(), expiresAt) : Number.POSITIVE_INFINITY;
    return `Replace API key ${id}? It stops working ${grace(Math.min(flags.grace ?? day, left))}.${endsWith(keys, id, { isRevoked: false })}`;
  },
  examples: ["playtest auth keys rotate --yes", "playtest auth keys rotate 4f6a1b2c --grace 1h --secret-file key.txt --yes"],
  async run({ args, flags }, ctx) {
    if (ctx.settings().apiKey()?.source === "profile") requirePlaceForKey(ctx);
    await ctx.reserveSecret(flags.secretFile);
    const graceSeconds = flags.grace ?? day;
    const settings = ctx.settings();
    const id = args.key ?? keyInUse(await allKeys(ctx));
    const password = flags.independent ? await readSecret(ctx, flags.passwordFile, "--password-file", "Password:") : undefined;
    const data = await withCodeIfNeeded(ctx, flags.code, (code) =>
      ctx.api().rotateApiKey({ params: { id }, body: { graceSeconds, password, code } }),
    );
    // Earlier than asked for if the key would have expired before.
    const { expiresAt } = data.previous;
    const ends = `The old key stops working ${grace(expiresAt ? secondsBetween(Date.parse(data.key.createdAt), expiresAt) : graceSeconds)}.`;
    if (!data.previous.current || settings.apiKey()?.source !== "profile") {
      ctx.out.note(`Replaced the API key ${data.key.name}. The new one will not be shown again. ${ends}`);
      return ctx.secret(data.apiKey, flags.secretFile, data);
    }
    await replaceStored(ctx, data.apiKey);
    const said = `Replaced the API key ${data.key.name} and saved the new one in profile ${settings.profile.value}. ${ends}`;
    return flags.secretFile === undefined ? ctx.text(said, data) : ctx.secret(data.apiKey, flags.secretFile, data);
  },
});

export const keysCommands = [keysList, keysCreate, keysRevoke, keysRotate];
