import { arg, col, define, detail, flag, type ItemOf, viewOf } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { keysIn } from "../shared/order-body.ts";

const listView = viewOf<ItemOf<"listPlaytestKeys">>(["key", col("status", "text"), "slot:slotId", "retired:retiredAt"], {
  empty: "This playtest has no game keys.",
});

const addedView = viewOf<ItemOf<"addPlaytestKeys">>([
  detail("keys added:added"),
  detail("keys left:unused"),
  detail("keys needed:needed"),
]);

const keysList = define({
  name: "keys list",
  aliases: ["keys"],
  summary: "List the game keys of a playtest and which slots have them",
  description:
    "Shows the last characters of each key. A key that a playtester has seen is never given to another one: once its slot expires or is released, it is retired.",
  args: { playtest: arg.playtest() },
  flags: { reveal: flag.toggle("Show whole keys") },
  operation: "listPlaytestKeys",
  list: true,
  examples: ["playtest playtests keys list PLAYTEST", "playtest playtests keys list PLAYTEST --reveal --jq '.keys[].key'"],
  run: async ({ args, flags, range }, ctx) =>
    ctx.list(
      "listPlaytestKeys",
      { params: { id: args.playtest }, query: { ...(flags.reveal && { reveal: "true" }) } },
      range,
      listView,
    ),
});

const keysAdd = define({
  name: "keys add",
  summary: "Add game keys to an active playtest",
  description: "A slot is claimed with one key for each player. Keys are handed out in the order in which they were added.",
  args: { playtest: arg.playtest(), keys: { ...arg.many("Game keys"), optional: true } },
  flags: { file: flag.text("File with game keys, one per line; - for standard input", { value: "FILE" }) },
  operation: "addPlaytestKeys",
  examples: ["playtest playtests keys add PLAYTEST --file keys.txt", "playtest playtests keys add PLAYTEST AAAA-BBBB-CCCC"],
  async run({ args, flags }, ctx) {
    if (flags.file !== undefined && args.keys.length > 0) throw usage("Game keys and --file cannot be used together.");
    const keys = flags.file === undefined ? args.keys : keysIn(await ctx.io.readText(flags.file, "--file"), "--file");
    if (keys.length === 0) throw usage("At least one game key is required.", "Pass keys, or a file with --file.");
    const added = await ctx.api().addPlaytestKeys({ params: { id: args.playtest }, body: { keys } });
    const missing = added.needed - added.unused;
    if (missing > 0)
      ctx.out.note(`The open slots need ${plural(missing, "more key")}. Nobody can claim a slot without its keys.`);
    return ctx.item(added, addedView);
  },
});

export const keysCommands = [keysList, keysAdd];
