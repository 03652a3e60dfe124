import { arg, type Context, col, define, flag, type ItemOf, viewOf } from "../../cli/define.ts";
import { trackers as names, type TrackerName, trackerTitles } from "../../contract/findings/trackers.ts";
import { usage } from "../../errors.ts";
import { readSecret } from "../shared/secret.ts";

const view = viewOf<ItemOf<"listTrackers">>([
  col("tracker", ({ tracker }) => trackerTitles[tracker as TrackerName] ?? tracker),
  col("state", ({ state }) => String(state).replaceAll("_", " ")),
  "site",
  "account",
  "connected:connectedAt",
  "paused until:pausedUntil",
]);

export function trackerNamed(word: string): TrackerName {
  const found = names.find((name) => name === word);
  if (!found) throw usage(`Unknown tracker ${JSON.stringify(word)}.`, `Supported: ${names.join(", ")}.`);
  return found;
}

const tracker = () => arg.choice(names);

export const trackers = define({
  name: "trackers",
  summary: "List the trackers that findings can be filed in",
  operation: "listTrackers",
  examples: ["playtest findings trackers"],
  rows: "trackers",
  view,
});

/** Where each makes its tokens, and what a token must be allowed. */
const tokens: Readonly<Record<TrackerName, string>> = {
  github: "a fine-grained token that may read and write issues",
  gitlab: "a token with the scope api",
  jira: "an API token of your Atlassian account",
  linear: "an API key with the permissions to read and write",
};

const ask = (ctx: Context, name: TrackerName, file: string | undefined) =>
  readSecret(ctx, file, "--token-file", `Token of ${trackerTitles[name]} (${tokens[name]}):`);

export const connect = define({
  name: "connect",
  summary: "Connect a tracker with a token of your account there",
  description:
    "Asks for the token without showing it, or reads it from --token-file. The server asks the tracker whose token it is, stores it encrypted, and " +
    "sends it to that tracker only.",
  args: { tracker: tracker() },
  flags: {
    tokenFile: flag.text("File with the token; - for standard input", { value: "FILE", field: "token" }),
    site: flag.text("Address of a tracker of your own, such as https://acme.atlassian.net; required for Jira", { value: "URL" }),
    email: flag.text("Email address of the account; required for Jira"),
  },
  operation: "connectTracker",
  examples: [
    "playtest findings connect github",
    "playtest findings connect gitlab --site https://gitlab.example.com --token-file token.txt",
    "playtest findings connect jira --site https://acme.atlassian.net --email ada@example.com --token-file -",
  ],
  async run({ args, flags: { tokenFile, site, email } }, ctx) {
    const name = trackerNamed(args.tracker);
    const token = await ask(ctx, name, tokenFile);
    const body = { tracker: name, token, ...(site !== undefined && { site }), ...(email !== undefined && { email }) };
    return ctx.item(await ctx.api().connectTracker({ body }), view);
  },
});

export const disconnect = define({
  name: "disconnect",
  summary: "Forget the token of a tracker; issues stay",
  args: { tracker: tracker() },
  operation: "disconnectTracker",
  confirm: ({ args }) => `Disconnect ${trackerTitles[trackerNamed(args.tracker)]}?`,
  examples: ["playtest findings disconnect github --yes"],
  run: async ({ args }, ctx) =>
    ctx.item(await ctx.api().disconnectTracker({ body: { tracker: trackerNamed(args.tracker) } }), view),
});
