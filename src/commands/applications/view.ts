import { col, detail, optionalCol } from "../../cli/define.ts";
import type { View } from "../../io/cells.ts";

export const applicationsView: View = {
  columns: [
    col("id", "id", "id"),
    col("status", "status", "status"),
    col("playtester", "displayName"),
    col("rating", "ratingAverage"),
    optionalCol("accepted", "acceptedCount"),
    optionalCol("experience", "gamingExperience"),
    col("answer", "qualificationsResponse"),
    col("applied", "createdAt", "ago"),
  ],
  empty: "No applications yet.",
};

/** The same columns plus game and playtest, for a list of all playtests. */
export const allApplicationsView: View = {
  ...applicationsView,
  columns: [
    applicationsView.columns[0]!,
    col("game", "gameName"),
    col("playtest", "playtestId", "id"),
    ...applicationsView.columns.slice(1),
  ],
};

export const applicationView: View = {
  columns: [
    detail("application", "id", "id"),
    detail("status", "status", "status"),
    detail("playtester", "displayName"),
    detail("rating", "ratingAverage"),
    detail("accepted playtests", "acceptedCount"),
    detail("experience", "gamingExperience"),
    detail("validated", "validatedAt", "ago"),
    detail("answer", "qualificationsResponse"),
    detail("applied", "createdAt", "ago"),
    detail("reviewed", "reviewedAt", "ago"),
    detail("slot", "assignedSlotId", "id"),
  ],
};
