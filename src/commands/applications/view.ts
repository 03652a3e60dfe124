import type { View } from "../../io/cells.ts";
import { col, detail } from "../define.ts";

export const applicationsView: View = {
  columns: [
    col("id", "id", "id"),
    col("status", "status", "status"),
    col("playtester", "displayName"),
    col("rating", "ratingAverage"),
    col("accepted", "acceptedCount"),
    col("experience", "gamingExperience"),
    col("answer", "qualificationsResponse"),
    col("applied", "createdAt", "ago"),
  ],
  empty: "Nobody has applied yet.",
};

export const applicationView: View = {
  columns: [
    detail("Application", "id", "id"),
    detail("Status", "status", "status"),
    detail("Playtester", "displayName"),
    detail("Rating", "ratingAverage"),
    detail("Accepted playtests", "acceptedCount"),
    detail("Experience", "gamingExperience"),
    detail("Validated", "validatedAt", "ago"),
    detail("Answer", "qualificationsResponse"),
    detail("Applied", "createdAt", "ago"),
    detail("Reviewed", "reviewedAt", "ago"),
    detail("Slot", "assignedSlotId", "id"),
  ],
};
