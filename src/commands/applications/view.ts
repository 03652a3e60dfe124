import { col, detail, type ItemOf, optionalCol, viewOf, withColumns } from "../../cli/define.ts";

export const applicationsView = viewOf<ItemOf<"listApplications">>(
  [
    "id",
    "status",
    "playtester:displayName",
    "rating:ratingAverage",
    optionalCol("accepted:acceptedCount"),
    optionalCol("experience:gamingExperience"),
    "answer:qualificationsResponse",
    "applied:createdAt",
  ],
  { empty: "No applications yet." },
);

/** The same columns plus game and playtest, for a list of all playtests. */
export const allApplicationsView = withColumns<ItemOf<"listApplications"> & { gameName: string; playtestId: string }>(
  applicationsView,
  ["game:gameName", col("playtest:playtestId", "text")],
);

export const applicationView = viewOf<ItemOf<"listApplications">>([
  detail("application:id"),
  detail("status"),
  detail("playtester:displayName"),
  detail("rating:ratingAverage"),
  detail("accepted playtests:acceptedCount"),
  detail("experience:gamingExperience"),
  detail("validated:validatedAt"),
  detail("answer:qualificationsResponse"),
  detail("applied:createdAt"),
  detail("reviewed:reviewedAt"),
  detail("slot:assignedSlotId"),
]);
