import { arg, define, flag } from "../../cli/define.ts";
import { friendView, playtesterProfileView } from "./view.ts";

const friend = () => arg.id("Handle, or the id of an entry", "listFriends", "handle");
const handle = () => arg.text("Handle of the playtester");

const list = define({
  name: "friends list",
  aliases: ["friends"],
  summary: "List your friends, requests and blocked playtesters",
  description:
    "On a server where claims for several players name friends, you see an offer only with enough friends who are available and may claim it.",
  operation: "listFriends",
  list: true,
  examples: ["playtest tester friends list", "playtest tester friends list --json"],
  view: friendView,
});

const add = define({
  name: "friends add",
  summary: "Ask a playtester to be your friend, or accept their request",
  description: "Choose a handle of your own first, with `playtest tester friends profile --handle`.",
  operation: "requestFriend",
  args: { handle: handle() },
  examples: ["playtest tester friends add ben"],
  async run({ args }, ctx) {
    const data = await ctx.api().requestFriend({ body: { handle: args.handle } });
    ctx.out.note(data.friend.status === "connected" ? "You are friends now." : "They can accept your request now.");
    return ctx.item(data, friendView);
  },
});

const accept = define({
  name: "friends accept",
  operation: "acceptFriend",
  args: { friend: friend() },
  examples: ["playtest tester friends accept ben"],
  view: friendView,
});

const remove = define({
  name: "friends remove",
  summary: "Remove a friend, decline or withdraw a request, or unblock a playtester",
  operation: "removeFriend",
  args: { friend: friend() },
  examples: ["playtest tester friends remove ben"],
});

const block = define({
  name: "friends block",
  summary: "Block a playtester; they are not told",
  description: "They cannot reach you as a friend, and are in no team with you. A team that is complete stays.",
  operation: "blockPlaytester",
  args: { handle: handle() },
  examples: ["playtest tester friends block ben"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().blockPlaytester({ body: { handle: args.handle } }), friendView),
});

const profile = define({
  name: "friends profile",
  summary: "Show or change your handle, and whether friends can name you",
  operation: ["getPlaytesterProfile", "updatePlaytesterProfile"],
  flags: {
    handle: flag.text("The name by which other playtesters find you"),
    available: flag.choice(["yes", "no"], "Whether friends can name you when they claim a playtest"),
  },
  examples: ["playtest tester friends profile --handle ada", "playtest tester friends profile --available no"],
  async run({ flags: { handle: chosen, available } }, ctx) {
    if (chosen === undefined && available === undefined)
      return ctx.item(await ctx.api().getPlaytesterProfile(), playtesterProfileView);
    const changes = {
      ...(chosen !== undefined && { handle: chosen }),
      ...(available !== undefined && { available: available === "yes" }),
    };
    return ctx.item(await ctx.api().updatePlaytesterProfile({ body: changes }), playtesterProfileView);
  },
});

export const friendsCommands = [list, add, accept, remove, block, profile];
