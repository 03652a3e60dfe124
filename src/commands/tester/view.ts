import { col, detail, spare, type View } from "../../cli/define.ts";

type Item = Record<string, unknown>;

export const offerView: View = {
  columns: [
    col("id", "id", "id"),
    col("game", "game.name"),
    col("pays", "payoutCents", "usd"),
    col("video", "visibility"),
    col("length", "durationMinutes", "minutes"),
    spare("players", "playerCount"),
    col("selection", "selectionMode"),
    col("open", "slotsOpen"),
    col("devices", "game.devices"),
    spare("offered", "createdAt", "ago"),
    detail("qualifications", "qualifications"),
    detail("applications until", "applicationsExpireAt", "ago"),
  ],
  empty: "No playtests for you at the moment.",
};

export const heldSlotView: View = {
  columns: [
    col("id", "id", "id"),
    col("game", "game.name"),
    col("status", "status", "status"),
    col("deadline", ({ status, deadlineAt }: Item) => (status === "reserved" ? deadlineAt : undefined), "ago"),
    col("pays", "playtest.payoutCents", "usd"),
    col("length", "playtest.durationMinutes", "minutes"),
    col("players", "playtest.playerCount"),
    detail("build", "buildUrl"),
    detail("keys", "keys"),
    detail("instructions", "instructions"),
    detail("notes", "notesForTesters"),
    detail("video", "submission.videoFileSize", "bytes"),
    detail("submitted", "submission.createdAt", "ago"),
    detail("said", "submission.notes"),
    detail("rating", "rating.score"),
    detail("comment", "rating.comment"),
    detail("rejected because", "rejection.reason"),
    detail("published at", "publishedUrl"),
    detail("reported", (slot: Item) => (slot.blockedReport as Item | null)?.reasonCode),
  ],
  empty: "You hold no slots. See what there is with `playtest tester browse`.",
};

export const applicationView: View = {
  columns: [
    col("id", "id", "id"),
    col("game", "gameName"),
    col("status", "status", "status"),
    col("sent", "createdAt", "ago"),
    col("reviewed", "reviewedAt", "ago"),
    col("slot", "assignedSlotId", "id"),
  ],
  empty: "You have not applied anywhere.",
};

export const earningView: View = {
  columns: [
    col("id", "id", "id"),
    col("kind", "kind"),
    col("amount", "amountCents", "usd"),
    col("slot", "slotId", "id"),
    col("when", "createdAt", "ago"),
  ],
  empty: "Nothing earned yet.",
};
