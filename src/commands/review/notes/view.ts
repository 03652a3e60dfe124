import { arg, col, detail, flag, viewOf } from "../../../cli/define.ts";
import { momentKinds } from "../../../contract/moments/kinds.ts";
import { positionText } from "../../../contract/text/position.ts";
import type { Moment } from "../../shared/notes/local.ts";

const at = ({ atMs, endMs }: Pick<Moment, "atMs" | "endMs">) =>
  endMs === null || endMs === undefined ? positionText(atMs) : `${positionText(atMs)}-${positionText(endMs)}`;
const tagsOf = ({ tags }: Pick<Moment, "tags">) => tags.join(", ");

/** What a column says about a note that is only on this computer. */
export const onThisComputer = "on this computer";

/** The columns of lists; with the ids of notes on this computer, a column that tells them from the others. */
export const momentsView = (localIds: ReadonlySet<string> = new Set()) =>
  viewOf<Moment>(
    [
      "id",
      "slot:slotId",
      col("at", at),
      "kind",
      "severity",
      "text",
      col("tags", tagsOf),
      "noted:createdAt",
      detail("image:still.downloadUrl"),
      ...(localIds.size > 0 ? [col("stored", ({ id }: Moment) => (localIds.has(id) ? onThisComputer : ""))] : []),
    ],
    { empty: "No notes. Add one with `playtest review note SLOT 12:41 TEXT`." },
  );

export const momentView = (local = false) =>
  viewOf<Moment>([
    detail("id"),
    detail("slot:slotId"),
    detail("at", at),
    detail("kind"),
    detail("severity"),
    detail("text"),
    detail("tags", tagsOf),
    detail("image:still.downloadUrl"),
    ...(local ? [detail("stored", () => onThisComputer)] : []),
  ]);

export const described = {
  kind: flag.choice(momentKinds, "Kind of the observation"),
  severity: flag.integer("How bad it is, from minor to what blocks the player", { min: 1, max: 4 }),
  tag: flag.list("Tag: lowercase words joined by hyphens", { value: "TAG" }),
};

export const noteArg = arg.id("Id of the note");
