import { define } from "../../../cli/define.ts";
import { shortId } from "../../../io/text.ts";
import { slotArg } from "../queue.ts";
import { publicationView } from "./view.ts";

const publication = define({
  name: "publication",
  summary: "Show what became of the publication of a video",
  args: { slot: slotArg() },
  operation: "getSlotPublication",
  examples: ["playtest review publication SLOT", "playtest review publication SLOT --jq .publication.url"],
  view: publicationView,
});

const unpublish = define({
  name: "unpublish",
  summary: "Remove the published video of a public playtest",
  description:
    "The video is deleted where it was published, and its address no longer works. You and the playtester keep it. It cannot be published again.",
  args: { slot: slotArg() },
  operation: "unpublishSlot",
  body: "unpublishSlot",
  confirm: ({ args }) => `Remove the published video of slot ${shortId(args.slot)}?`,
  examples: ['playtest review unpublish SLOT --reason "Shows an unreleased level" --yes'],
  view: publicationView,
});

export const publicationCommands = [publication, unpublish];
