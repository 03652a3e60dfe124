import { col, detail, type View } from "../../../cli/define.ts";

const shown = (share: Record<string, unknown>) => {
  const notes = (share.noteIds as readonly string[] | undefined)?.length ?? 0;
  const parts = [
    share.hasPassword && "password",
    share.withName && "name",
    share.withNotes ? "notes" : notes > 0 && `${notes} ${notes === 1 ? "note" : "notes"}`,
  ];
  return parts.filter(Boolean).join(", ");
};

export const sharesView: View = {
  columns: [
    col("id", "id", "id"),
    col("of", "kind"),
    col("game", "gameName"),
    col("state", "state", "status"),
    col("views", "views"),
    col("last view", "lastViewedAt", "ago"),
    col("expires", "expiresAt", "ago"),
    col("with", shown),
    col("url", "url"),
  ],
  empty: "You share no videos.",
};

export const shareView: View = {
  columns: [
    detail("id", "id", "id"),
    detail("of", "kind"),
    detail("game", "gameName"),
    detail("expires", "expiresAt", "ago"),
    detail("with", shown),
    detail("url", "url"),
  ],
};
