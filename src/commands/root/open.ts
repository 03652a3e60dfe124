import { arg, type Context, define, flag } from "../../cli/define.ts";
import { CliError, isAbsent, notFound, usage } from "../../errors.ts";

/** Pages of a server started with `playtest serve`, below its address. */
const own: Readonly<Record<string, string>> = {
  home: "/play",
  docs: "/docs",
  slots: "/play/slots",
  applications: "/play/applications",
  messages: "/play/messages",
  earnings: "/play/earnings",
  notifications: "/play/notifications",
};
/** Pages of a hosted service, as far as they are known. */
const hosted: Readonly<Record<string, string>> = {
  home: "/dashboard",
  docs: "/docs/api",
  billing: "/dashboard",
  keys: "/dashboard/settings/api-keys",
};
/** What the own server does by commands alone. */
const byCommand: Readonly<Record<string, string>> = {
  billing: "`playtest billing credit add --open` opens a page to pay on.",
  keys: "`playtest auth keys list` shows the keys.",
};
const names = [...new Set([...Object.keys(own), ...Object.keys(hosted)])];

async function isOwn(ctx: Context): Promise<boolean> {
  try {
    await ctx.apiAt(ctx.settings().get("baseUrl")!.value, undefined).getServerInfo({});
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

const orNothing = async <T>(wanted: Promise<T>): Promise<T | undefined> =>
  wanted.catch((error: unknown) => {
    if (isAbsent(error) || (error instanceof CliError && error.exitCode === 2)) return undefined;
    throw error;
  });

/** The page of a game, a playtest or a slot: whichever the id belongs to. */
async function pageOf(ctx: Context, baseUrl: string, id: string): Promise<string> {
  const api = ctx.api();
  const params = { id };
  const game = (await orNothing(api.getGame({ params })))?.game;
  if (game) return game.externalUrl ?? game.buildUrl;
  const playtest = (await orNothing(api.getPlaytest({ params })))?.playtest;
  if (playtest) return baseUrl + ((await isOwn(ctx)) ? own : hosted).home;
  const slot = (await orNothing(api.getSlot({ params })))?.slot;
  if (!slot) throw notFound(`${id} is no game, playtest or slot of yours.`, `Pages: ${names.join(", ")}.`);
  if (slot.publishedUrl) return slot.publishedUrl;
  return (await api.getSlotDownloadUrl({ params })).downloadUrl;
}

async function namedPage(ctx: Context, baseUrl: string, name: string): Promise<string> {
  const ours = await isOwn(ctx);
  const path = (ours ? own : hosted)[name];
  if (path !== undefined) return baseUrl + path;
  throw notFound(`${baseUrl} has no page for ${name}.`, ours ? byCommand[name] : `It has ${Object.keys(hosted).join(", ")}.`);
}

/** A page as a browser may be given it: an address that came from a server could be anything. */
function webPage(address: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address).href;
  throw usage(`${JSON.stringify(address)} is not the address of a web page; it was not opened.`);
}

export const open = define({
  name: "open",
  summary: "Open a page in the browser: the server's, a game's, a video",
  description:
    `A page by its name (${names.join(", ")}), or what an id stands for: a game's own page or its build, for a playtest the\n` +
    "page of offers, the video of a slot. Without a terminal or a browser the address is printed.",
  operation: ["getServerInfo", "getGame", "getPlaytest", "getSlot", "getSlotDownloadUrl"],
  risk: "read",
  args: { what: { ...arg.optional("A page or an id; default home"), choices: names, id: {} } },
  flags: { print: flag.toggle("Print the address instead") },
  examples: ["playtest open", "playtest open SLOT", "playtest open docs --print"],
  async run({ args, flags }, ctx) {
    const baseUrl = ctx.settings().get("baseUrl")!.value;
    const what = args.what ?? "home";
    const url = webPage(names.includes(what) ? await namedPage(ctx, baseUrl, what) : await pageOf(ctx, baseUrl, what));
    const outcome = (opened: boolean) => ctx.text(opened ? `Opened ${url}` : url, { result: { url, opened } });
    if (flags.print || !ctx.io.terminal.stdout) return outcome(false);
    const opened = await (await import("../../io/shell.ts")).openUrl(ctx.io, url);
    if (!opened) ctx.out.warn("No browser could be opened; open the address by hand.");
    return outcome(opened);
  },
});
