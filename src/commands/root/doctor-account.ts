import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes, isAbsent } from "../../errors.ts";
import { type Check, fail, failed, ok, warn } from "./doctor.ts";

/** A read that each scope allows, for servers that do not tell a key's scopes. */
const reads = {
  game_owner: "listGames",
  billing: "getBalance",
  chat: "getUnreadCount",
  notifications: "listNotifications",
  webhooks: "listWebhooks",
} as const;

async function mayRead(ctx: Context, operation: (typeof reads)[keyof typeof reads]): Promise<boolean> {
  try {
    await ctx.api().call(operation, {} as never);
    return true;
  } catch (error) {
    if (error instanceof CliError && (error.exitCode === exitCodes.scope || isAbsent(error))) return false;
    throw error;
  }
}

async function scopesOf(ctx: Context, told: unknown): Promise<string[]> {
  if (Array.isArray(told)) return told.map(String);
  const names = Object.keys(reads) as (keyof typeof reads)[];
  const allowed = await Promise.all(names.map((name) => mayRead(ctx, reads[name])));
  return names.filter((_, i) => allowed[i]);
}

function scopeCheck(scopes: readonly string[]): Check {
  const missing = Object.keys(reads).filter((name) => !scopes.includes(name));
  const playtester = scopes.includes("playtester");
  const make = "Make a key with more: `playtest auth keys create`, or the server's web pages.";
  if (scopes.length === 0) return fail("scopes", "the key may do nothing", make, exitCodes.scope);
  if (missing.length === 0 || playtester || scopes.includes("admin")) return ok("scopes", scopes.join(", "));
  return warn("scopes", `${scopes.join(", ")}; not ${missing.join(", ")}`, make);
}

function limitCheck({ "x-ratelimit-limit": limit, "x-ratelimit-remaining": left }: Record<string, string>): Check {
  if (limit === undefined || left === undefined) return ok("rate limit", "the server does not say");
  const shown = `${left} of ${limit} requests left`;
  if (Number(left) * 10 >= Number(limit)) return ok("rate limit", shown);
  return warn("rate limit", shown, "Wait, or run less at once; commands wait up to --max-wait by themselves.");
}

type Account = Awaited<ReturnType<typeof whoami>>;

/** The account behind the key; on a server that does not tell, whether the key is good at all. */
async function whoami(ctx: Context) {
  try {
    const { data, headers } = await ctx.api().call("getMe", {});
    return { user: data, headers };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const { headers } = await ctx.api().checked({ method: "GET", path: "/games?limit=1" });
    return { user: undefined, headers };
  }
}

function accountLines({ user }: Account, from: string): Check[] {
  if (!user) return [ok("key", `good (from ${from}); the server does not tell whose it is`)];
  const key = ok("key", `${user.email}, ${user.role} (from ${from})`);
  if (user.emailVerified) return [key, ok("e-mail", "verified")];
  const fix = "Open the link in the verification mail, then run `playtest auth wait-verified`.";
  return [key, fail("e-mail", "not verified", fix, exitCodes.unauthenticated)];
}

/** The key, whose it is, what it may do and how much. */
export async function accountChecks(ctx: Context): Promise<Check[]> {
  const login = "Run `playtest login`, or set PLAYTEST_API_KEY.";
  try {
    const key = ctx.settings().apiKey();
    if (!key) return [fail("key", "none for this instance", login, exitCodes.unauthenticated)];
    const account = await whoami(ctx);
    const lines = accountLines(account, key.from);
    if (lines.some(({ state }) => state === "fail")) return lines;
    const told = (account.user as { scopes?: unknown } | undefined)?.scopes;
    return [...lines, scopeCheck(await scopesOf(ctx, told)), limitCheck(account.headers)];
  } catch (error) {
    return [failed("key", error)];
  }
}
