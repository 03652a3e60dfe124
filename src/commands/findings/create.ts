import { arg, define, flag } from "../../cli/define.ts";
import { findingStatuses } from "../../contract/findings/statuses.ts";
import { momentKinds } from "../../contract/moments/kinds.ts";
import { usage } from "../../errors.ts";
import { createFinding, findingNamed, findingsWith, gameOfFindings } from "../shared/findings/source.ts";
import { findingArg, findingView, ofGame } from "./view.ts";

const described = {
  text: flag.text("More about it, such as what was expected"),
  kind: flag.choice(momentKinds, "Kind of the observation"),
  severity: flag.integer("How bad it is, from minor to what blocks the player", { min: 1, max: 4 }),
  tag: flag.list("Tag: lowercase words joined by hyphens", { value: "TAG", field: "tags" }),
  status: flag.choice(findingStatuses, "What became of it"),
};

export const create = define({
  name: "create",
  summary: "Create a finding of a game",
  description:
    "A finding is what several videos show: give it evidence with `playtest findings add`. A server that does not store findings leaves " +
    "them on this computer.",
  args: { title: arg.text("What is wrong or good, in a few words") },
  flags: {
    ...described,
    game: flag.text("Game: id or name (default: the game set with `games use`, else the only game)", { value: "GAME" }),
  },
  operation: "createFinding",
  examples: [
    'playtest findings create "Nobody finds the lantern" --kind confusion --severity 3',
    'playtest findings create "Crash in the cellar" --kind bug --severity 4 --tag crash --game GAME',
  ],
  async run({ args, flags: { game, tag: tags, text, kind, severity, status } }, ctx) {
    const gameId = await gameOfFindings(ctx, game);
    const body = {
      title: args.title,
      tags,
      ...(text !== undefined && { text }),
      ...(kind && { kind }),
      ...(severity && { severity }),
      ...(status && { status }),
    };
    return ctx.item(await createFinding(ctx, gameId, body), findingView);
  },
});

export const update = define({
  name: "update",
  aliases: ["edit"],
  summary: "Change a finding",
  args: { finding: findingArg },
  flags: { title: flag.text("What is wrong or good, in a few words"), ...described, ...ofGame },
  operation: "updateFinding",
  examples: ["playtest findings update 7 --severity 4 --tag cellar", "playtest findings update 7 --status filed"],
  async run({ args, flags: { game, tag: tags, title, text, kind, severity, status } }, ctx) {
    const body = {
      ...(title !== undefined && { title }),
      ...(text !== undefined && { text }),
      ...(kind && { kind }),
      ...(severity && { severity }),
      ...(status && { status }),
      ...(tags.length > 0 && { tags }),
    };
    if (Object.keys(body).length === 0)
      throw usage("Nothing to change was given. Nothing was changed.", "Pass --severity, for example.");
    const id = await findingNamed(ctx, args.finding, game);
    return ctx.item(await findingsWith(ctx, id).update(id, body), findingView);
  },
});

export const close = define({
  name: "close",
  summary: "Close a finding: it is fixed, verified to be gone, or stays as it is",
  args: { finding: findingArg },
  flags: {
    as: flag.choice(["fixed", "verified", "wontfix"], "What became of it (default: fixed)", { field: "status" }),
    ...ofGame,
  },
  operation: "updateFinding",
  examples: ["playtest findings close 7", "playtest findings close 7 --as wontfix"],
  async run({ args, flags: { as: status = "fixed", game } }, ctx) {
    const id = await findingNamed(ctx, args.finding, game);
    return ctx.item(await findingsWith(ctx, id).update(id, { status }), findingView);
  },
});

export const remove = define({
  name: "delete",
  summary: "Delete a finding and those that were merged into it",
  args: { finding: findingArg },
  flags: ofGame,
  operation: "deleteFinding",
  confirm: () => "Delete this finding and those that were merged into it?",
  examples: ["playtest findings delete 7 --yes"],
  async run({ args, flags }, ctx) {
    const id = await findingNamed(ctx, args.finding, flags.game);
    return ctx.message(await findingsWith(ctx, id).remove(id));
  },
});
