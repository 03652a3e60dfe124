import type { Data } from "../../../api/client.ts";
import { arg, type Context, col, define, flag, type ItemOf, viewOf } from "../../../cli/define.ts";
import { flagName } from "../../../cli/flags.ts";
import { type Platform, type PublisherName, platforms, publisherTitles } from "../../../contract/publications/publishers.ts";
import { CliError, exitCodes, usage } from "../../../errors.ts";
import { readSecret } from "../../shared/secret.ts";
import { signInWithBrowser } from "./browser-sign-in.ts";

const view = viewOf<ItemOf<"listPublishers">>([
  col("platform:adapter", ({ adapter }) => publisherTitles[adapter as PublisherName] ?? adapter),
  col("state", ({ state }) => String(state).replaceAll("_", " ")),
  "in use:inUse",
  "account",
  "connected:connectedAt",
]);

const platform = () => arg.choice(platforms);
function adapterOf(word: string): Platform {
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
  summary: "Connect the account with which videos are published on a platform",
  description:
    "For YouTube, opens a browser of this computer to sign in with Google; with --device, prints a code to enter in a browser anywhere. Put the client of your Google project into the server's settings first. For PeerTube, asks for the instance, the user name and the password. The server keeps the account's tokens encrypted, and not the password.",
  operation: ["connectPublisher", "startPublisherSignIn"],
  risk: "write",
  args: { platform: platform() },
  flags: {
    device: flag.toggle("YouTube: enter a code in a browser of another device"),
    instance: flag.text("PeerTube: address of the instance", { value: "URL" }),
    username: flag.text("PeerTube: name or email of the account", { value: "NAME" }),
    passwordFile: flag.text("PeerTube: read the password from a file; - reads standard input", { value: "FILE" }),
    oneTimeCode: flag.text("PeerTube: code of an account with two-factor authentication", { value: "CODE" }),
    channel: flag.text("PeerTube: name of the channel; without it, the account's first", { value: "NAME" }),
  },
  examples: [
    "playtest admin publishing connect youtube",
    "playtest admin publishing connect youtube --device",
    "playtest admin publishing connect peertube",
    "playtest admin publishing connect peertube --instance https://videos.example.org --username moon --password-file -",
  ],
  async run({ args, flags }, ctx) {
    const adapter = adapterOf(args.platform);
    if (adapter === "peertube") {
      if (flags.device) throw usage("--device is for YouTube.");
      return shown(ctx, await connectToPeertube(ctx, flags));
    }
    for (const name of ["instance", "username", "passwordFile", "oneTimeCode", "channel"] as const)
      if (flags[name] !== undefined) throw usage(`--${flagName({ name })} is for PeerTube.`);
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

interface PeertubeFlags {
  instance?: string | undefined;
  username?: string | undefined;
  passwordFile?: string | undefined;
  oneTimeCode?: string | undefined;
  channel?: string | undefined;
}

async function connectToPeertube(ctx: Context, flags: PeertubeFlags): Promise<Data<"connectPublisher">> {
  const instance = flags.instance ?? (await ctx.prompt.text("Address of the PeerTube instance:", "Pass --instance."));
  const username = flags.username ?? (await ctx.prompt.text("User name:", "Pass --username."));
  const password = await readSecret(ctx, flags.passwordFile, "--password-file", "Password:");
  const { oneTimeCode, channel } = flags;
  const url = instance.includes("://") ? instance : `https://${instance}`;
  const body = { adapter: "peertube", instance: url, username, password, oneTimeCode, channel } as const;
  const connect = (code: string | undefined) => ctx.api().connectPublisher({ body: { ...body, oneTimeCode: code } });
  try {
    return await connect(oneTimeCode);
  } catch (error) {
    const asks = error instanceof CliError && error.exitCode === exitCodes.conflict && /one-time code:/.test(error.message);
    if (!asks || !ctx.prompt.possible) throw error;
    return connect(await ctx.prompt.text("One-time code:", "Pass --one-time-code."));
  }
}

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
