import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes, howToVerify, isAbsent } from "../../errors.ts";
import { type Check, fail, failed, ok, warn } from "./doctor-check.ts";

/** A read operation for each scope, to detect the scopes of a key on servers that do not report them. */
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

async function scopesOf(ctx: Context, reported: unknown): Promise<string[]> {
  if (Array.isArray(reported)) return reported.map(String);
  const names = Object.keys(reads) as (keyof typeof reads)[];
  const allowed = await Promise.all(names.map((name) => mayRead(ctx, reads[name])));
  return names.filter((_, i) => allowed[i]);
}

/** How to use a key from a login instead of the one that comes from there. */
function loginInstead(from: string, login = "playtest login"): string {
  if (from === "PLAYTEST_API_KEY") return `unset PLAYTEST_API_KEY and run \`${login}\``;
  return from === "--api-key-file" ? `leave out --api-key-file and run \`${login}\`` : `run \`${login}\``;
}

/** A key cannot create one with more scopes than it has: that takes the password. */
function howToGetScopes({ user }: Account, from: string): string {
  if (user) return `To get a key with every scope of the account, ${loginInstead(from)}.`;
  return `Create a key with more scopes on the server's website. To save it, ${loginInstead(from, "playtest login --with-key")}.`;
}

function scopeCheck(scopes: readonly string[], account: Account, from: string): Check {
  const missing = Object.keys(reads).filter((name) => !scopes.includes(name));
  const fix = howToGetScopes(account, from);
  if (scopes.length === 0) return fail("scopes", "the key has no scopes", fix, exitCodes.scope);
  const isOwner = (account.user?.role ?? "game_owner") === "game_owner";
  if (missing.length === 0 || !isOwner) return ok("scopes", scopes.join(", "));
  return warn("scopes", `${scopes.join(", ")}; missing: ${missing.join(", ")}`, fix);
}

function limitCheck({ "x-ratelimit-limit": limit, "x-ratelimit-remaining": left }: Record<string, string>): Check {
  if (limit === undefined || left === undefined) return ok("rate limit", "not reported by the server");
  const shown = `${left} of ${limit} requests remaining`;
  if (Number(left) * 10 >= Number(limit)) return ok("rate limit", shown);
  return warn("rate limit", shown, "Wait, or run fewer commands in parallel. Commands wait up to --max-wait automatically.");
}

type Account = Awaited<ReturnType<typeof whoami>>;

/** The account of the key. On a server that does not report it, only checks that the key is valid. */
async function whoami(ctx: Context) {
  const me = await ctx.api().offered("getMe", {});
  if (me !== undefined) return { user: me.data, headers: me.headers };
  try {
    const { headers } = await ctx.api().checked({ method: "GET", path: "/games?limit=1" });
    return { user: undefined, headers };
  } catch (error) {
    // The server knows a key whose scopes it finds too few.
    if (error instanceof CliError && error.exitCode === exitCodes.scope) return { user: undefined, headers: {} };
    throw error;
  }
}

function accountLines({ user }: Account, from: string): Check[] {
  if (!user) return [ok("key", `valid (from ${from}); the server does not report its account`)];
  const key = ok("key", `${user.email}, ${user.role} (from ${from})`);
  if (user.emailVerified) return [key, ok("email", "verified")];
  return [key, fail("email", "not verified", howToVerify, exitCodes.unauthenticated)];
}

/** A login does not help while the key that the server refuses comes from elsewhere. */
function refusedKey(error: unknown, from: string | undefined): Check {
  const check = failed("key", error);
  if (check.exitCode !== exitCodes.unauthenticated || from === undefined || from.startsWith("profile ")) return check;
  const fix =
    from === "PLAYTEST_API_KEY"
      ? "Set PLAYTEST_API_KEY to a valid key, or unset it and run `playtest login`."
      : "Pass a file with a valid key, or leave out --api-key-file and run `playtest login`.";
  return { ...check, fix };
}

/** Checks the key, its account, its scopes and its rate limit. */
export async function accountChecks(ctx: Context): Promise<Check[]> {
  let from: string | undefined;
  try {
    const key = ctx.settings().apiKey();
    if (!key)
      return [fail("key", "none for this instance", "Run `playtest login`, or set PLAYTEST_API_KEY.", exitCodes.unauthenticated)];
    from = key.from;
    const account = await whoami(ctx);
    const lines = accountLines(account, key.from);
    if (lines.some(({ state }) => state === "fail")) return lines;
    const reported = (account.user as { scopes?: unknown } | undefined)?.scopes;
    return [...lines, scopeCheck(await scopesOf(ctx, reported), account, from), limitCheck(account.headers)];
  } catch (error) {
    return [refusedKey(error, from)];
  }
}
