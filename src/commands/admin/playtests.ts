import type { Data } from "../../api/client.ts";
import { arg, col, define, withColumns } from "../../cli/define.ts";
import { shortId } from "../../io/text.ts";
import { operatedPlaytestView } from "./view.ts";

type Slots = Data<"getAnyPlaytest">["slots"];

const slotTexts = (slots: Slots) =>
  slots.map(({ id, status, playtester }) => `${shortId(id)} ${status}${playtester ? ` ${playtester.displayName}` : ""}`);

/** A playtest with each of its slots. */
const withSlots = (slots: Slots) => withColumns(operatedPlaytestView, [col("each slot", () => slotTexts(slots))]);

const playtests = define({
  name: "playtests",
  operation: "listAllPlaytests",
  query: "listAllPlaytests",
  list: true,
  examples: ["playtest admin playtests --search lantern", "playtest admin playtests --id 0190a1b2-…"],
  view: operatedPlaytestView,
});

const playtestsShow = define({
  name: "playtests show",
  summary: "Show a playtest of any owner and its slots",
  operation: "getAnyPlaytest",
  args: { playtest: arg.id("Playtest id", "listAllPlaytests", "gameName") },
  examples: ["playtest admin playtests show 0190a1b2", "playtest admin playtests show 0190a1b2 --json --jq '.slots[].status'"],
  run: async ({ args }, ctx) => {
    const data = await ctx.api().getAnyPlaytest({ params: { id: args.playtest } });
    return { kind: "item", data, subject: data.playtest, view: withSlots(data.slots) };
  },
});

export const playtestsCommands = [playtests, playtestsShow];
