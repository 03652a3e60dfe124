import { webUrl } from "../../api/url.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { pages, portal, studio } from "../../contract/pages/addresses.ts";
import { CliError, isAbsent, notFound } from "../../errors.ts";

/** Page paths of a server started with `playtest serve`. */
const own: Readonly<Record<string, string>> = {
  home: portal.offers(),
  studio: studio.inbox(),
  docs: pages.docs(),
  slots: portal.slots(),
  applications: portal.applications(),
  messages: portal.messages(),
  earnings: portal.earnings(),
  notifications: portal.notifications(),
};
/** The home page of each role that is not a playtester. */
const homes: Readonly<Record<string, string>> = { game_owner: studio.inbox(), admin: pages.home() };
/** Known page paths of a hosted service. */
const hosted: Readonly<Record<string, string>> = {
  home: "/dashboard",
  docs: "/docs/api",
  billing: "/dashboard",
  keys: "/dashboard/settings/api-keys",
};
/** Commands to use on a server without these pages. */
const byCommand: Readonly<Record<string, string>> = {
  billing: "Use `playtest billing credit add --open` to open a payment page.",
  keys: "Use `playtest auth keys list`.",
};
const names = [...new Set([...Object.keys(own), ...Object.keys(hosted)])];

const isOwn = async (ctx: Context) => (await ctx.api().offered("getServerInfo", {})) !== undefined;

const orNothing = async <T>(wanted: Promise<T>): Promise<T | undefined> =>
  wanted.catch((error: unknown) => {
    if (isAbsent(error) || (error instanceof CliError && error.exitCode === 2)) return undefined;
    throw error;
  });

/** Without a key, the home page is the playtesters'. */
async function homeOf(ctx: Context): Promise<string> {
  const me = ctx.settings().apiKey() && (await orNothing(ctx.api().getMe({})));
  return (me && homes[me.role]) ?? own.home!;
}

/** The page of the game, playtest or slot with this id. */
async function pageOf(ctx: Context, baseUrl: string, id: string): Promise<string> {
  const api = ctx.api();
  const params = { id };
  const game = (await orNothing(api.getGame({ params })))?.game;
  if (game) return game.externalUrl ?? game.buildUrl;
  const playtest = (await orNothing(api.getPlaytest({ params })))?.playtest;
  if (playtest) return baseUrl + ((await isOwn(ctx)) ? studio.playtest(playtest.id) : hosted.home);
  const slot = (await orNothing(api.getSlot({ params })))?.slot;
  if (!slot) throw notFound(`No page, game, playtest or slot found for ${id}.`, `Pages: ${names.join(", ")}.`);
  if (slot.publishedUrl) return slot.publishedUrl;
  return (await api.getSlotDownloadUrl({ params })).downloadUrl;
}

async function namedPage(ctx: Context, baseUrl: string, name: string): Promise<string> {
  const ours = await isOwn(ctx);
  if (ours && name === "home") return baseUrl + (await homeOf(ctx));
  const path = (ours ? own : hosted)[name];
  if (path !== undefined) return baseUrl + path;
  throw notFound(`${baseUrl} has no ${name} page.`, ours ? byCommand[name] : `Its pages: ${Object.keys(hosted).join(", ")}.`);
}

export const open = define({
  name: "open",
  summary: "Open a page, game or video in the browser",
  description:
    `Opens a page by name (${names.join(", ")}), or by id: the website or build of a game, the page of a playtest, or the ` +
    "video of a slot. Without a terminal or a browser, prints the address.",
  operation: ["getServerInfo", "getMe", "getGame", "getPlaytest", "getSlot", "getSlotDownloadUrl"],
  risk: "read",
  args: { what: { ...arg.optional("Page name or id (default home)"), choices: names, id: {} } },
  flags: { print: flag.toggle("Print the address instead") },
  examples: ["playtest open", "playtest open SLOT", "playtest open docs --print"],
  async run({ args, flags }, ctx) {
    const baseUrl = ctx.settings().get("baseUrl")!.value;
    const what = args.what ?? "home";
    const isNamed = names.includes(what);
    const { href: url } = webUrl(await (isNamed ? namedPage : pageOf)(ctx, baseUrl, what));
    const outcome = (opened: boolean) => ctx.text(opened ? `Opened ${url}` : url, { result: { url, opened } });
    if (flags.print || !ctx.io.terminal.stdout) return outcome(false);
    const { openUrl, openSecretUrl } = await import("../../io/shell.ts");
    // What an id stands for may be a signed link.
    const opened = await (isNamed ? openUrl : openSecretUrl)(ctx.io, url);
    if (!opened) ctx.out.warn("Cannot open a browser. Open this address yourself:");
    return outcome(opened);
  },
});
