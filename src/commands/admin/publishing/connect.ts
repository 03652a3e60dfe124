import type { Data } from "../../../api/client.ts";
import { arg, type Context, col, define, flag, type ItemOf, viewOf } from "../../../cli/define.ts";
import { type PublisherName, publisherTitles } from "../../../contract/publications/publishers.ts";
import { CliError, exitCodes, usage } from "../../../errors.ts";
import { signInWithBrowser } from "./browser-sign-in.ts";

const view = viewOf<ItemOf<"listPublishers">>([
  col("platform:adapter", ({ adapter }) => publisherTitles[adapter as PublisherName] ?? adapter),
  col("state", ({ state }) => String(state).replaceAll("_", " ")),
  "in use:inUse",
  "account",
  "connected:connectedAt",
]);

const platforms = ["youtube"] as const;
const platform = () => arg.choice(platforms);
function adapterOf(word: string): (typeof platforms)[number] {
  const found = platforms.find((name) => name === word);
  if (!found) throw usage(`Unknown platform ${JSON.stringify(word)}.`, `Supported: ${platforms.join(", ")}.`);
  return found;
}

const publishingPlatforms = define({
  name: "publishing platforms",
  summary: "List where videos can be published, and with which accounts",
  operation: "listPublishers",
  examples: ["playtest admin publishing platforms"],
  rows: "publishers",
  view,
});

const publishingConnect = define({
  name: "publishing connect",
  summary: "Connect the account with which videos are published on YouTube",
  description:
    "Opens a browser of this computer to sign in with Google. With --device, prints a code to enter in a browser anywhere. The server keeps the account's token encrypted; put the client of your Google project into its settings first.",
  operation: ["connectPublisher", "startPublisherSignIn"],
  risk: "write",
  args: { platform: platform() },
  flags: { device: flag.toggle("Enter a code in a browser of another device") },
  examples: ["playtest admin publishing connect youtube", "playtest admin publishing connect youtube --device"],
  async run({ args, flags }, ctx) {
    const adapter = adapterOf(args.platform);
    if (flags.device) return shown(ctx, await connectByDevice(ctx, adapter));
    const returned = await signInWithBrowser(ctx, (redirect) =>
      ctx.api().startPublisherSignIn({ body: { adapter, ...redirect } }),
    );
    return shown(ctx, await ctx.api().connectPublisher({ body: { adapter, ...returned } }));
  },
});

const shown = (ctx: Context, data: Data<"connectPublisher">) => {
  ctx.out.note(`Connected to ${publisherTitles[data.publisher.adapter]} as ${data.publisher.account}.`);
  return ctx.item(data, view);
};

/** Google forgets a code after half an hour. */
const deviceMs = 30 * 60_000;

async function connectByDevice(ctx: Context, adapter: "youtube"): Promise<Data<"connectPublisher">> {
  const { url, userCode, deviceCode, intervalSeconds } = await ctx.api().startPublisherSignIn({ body: { adapter } });
  ctx.out.note(`Open ${url} in any browser and enter the code ${userCode}.`);
  for (const until = ctx.now() + deviceMs; ; ) {
    await ctx.sleep(Math.max(1, intervalSeconds) * 1000, ctx.signal);
    try {
      return await ctx.api().connectPublisher({ body: { adapter, deviceCode: deviceCode ?? "" } });
    } catch (error) {
      const waits = error instanceof CliError && error.exitCode === exitCodes.conflict && /entered the code/.test(error.message);
      if (!waits || ctx.now() > until) throw error;
    }
  }
}

const publishingDisconnect = define({
  name: "publishing disconnect",
  summary: "Forget the account with which videos are published on a platform",
  description:
    "Published videos stay there. Videos that wait for the platform are published on the server's own page when their time is over.",
  operation: "disconnectPublisher",
  args: { platform: platform() },
  confirm: ({ args }) => `Disconnect ${publisherTitles[adapterOf(args.platform)]}?`,
  examples: ["playtest admin publishing disconnect youtube --yes"],
  run: async ({ args }, ctx) =>
    ctx.item(await ctx.api().disconnectPublisher({ body: { adapter: adapterOf(args.platform) } }), view),
});

export const connectCommands = [publishingPlatforms, publishingConnect, publishingDisconnect];
