import { col, detail, type ItemOf, viewOf } from "../../../cli/define.ts";

const shown = (share: Record<string, unknown>) => {
  const notes = (share.noteIds as readonly string[] | undefined)?.length ?? 0;
  const parts = [
    share.hasPassword && "password",
    share.withName && "name",
    share.withNotes ? "notes" : notes > 0 && `${notes} ${notes === 1 ? "note" : "notes"}`,
  ];
  return parts.filter(Boolean).join(", ");
};

export const sharesView = viewOf<ItemOf<"listShares">>(
  ["id", "of:kind", "game:gameName", "state", "views", "last view:lastViewedAt", "expires:expiresAt", col("with", shown), "url"],
  { empty: "You share no videos." },
);

export const shareView = viewOf<ItemOf<"createSlotShare">>([
  detail("id"),
  detail("of:kind"),
  detail("game:gameName"),
  detail("expires:expiresAt"),
  detail("with", shown),
  detail("url"),
]);
