import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, readableText, timestamp, wholeListQuery } from "./fields.ts";
import { selectionModes } from "./order-body.ts";
import { applicationStatuses } from "./states/index.ts";

const owner = { access: ["game_owner"] } as const;

export const application = z
  .strictObject({
    id: id(),
    status: z.enum(applicationStatuses),
    qualificationsResponse: z.string().nullable(),
    createdAt: timestamp(),
    reviewedAt: timestamp().nullable(),
    assignedSlotId: id().nullable(),
    playtesterId: id(),
    displayName: z.string(),
    gamingExperience: z.string().nullable(),
    validatedAt: timestamp().nullable(),
    ratingAverage: z.string().nullable().meta({ description: "Decimal number as a string." }),
    acceptedCount: z.string().meta({ description: "Integer as a string." }),
  })
  .meta({ id: "Application" });

const request = z.strictObject({
  id: id(),
  gameId: id(),
  gameName: z.string(),
  quantity: z.int(),
  qualifications: z.string().nullable(),
  selectionMode: z.enum(selectionModes),
  applicationsExpireAt: timestamp().nullable(),
  scheduledAt: timestamp().nullable(),
});

export const applications = {
  listApplications: endpoint("GET /playtests/:id/applications", {
    ...owner,
    summary: "List the applications to a playtest",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({
      request,
      counts: z.strictObject({
        approvedCount: z.int(),
        pendingCount: z.int(),
        slotsRemaining: z.int(),
      }),
      applications: z.array(application),
    }),
  }),
  approveApplication: endpoint("POST /playtests/playtest-applications/:id/approve", {
    ...owner,
    also: ["/playtest-applications/:id/approve"],
    summary: "Approve an application and reserve a slot for it",
    reply: z.strictObject({
      application,
      assignedSlotId: id(),
      slotsRemaining: z.int(),
    }),
  }),
  rejectApplication: endpoint("POST /playtests/playtest-applications/:id/reject", {
    ...owner,
    also: ["/playtest-applications/:id/reject"],
    summary: "Reject an application",
    body: z
      .strictObject({
        customMessage: readableText(1500, 0).optional().meta({ description: "Text to include in the rejection email." }),
      })
      .prefault({}),
    reply: z.strictObject({ application }),
  }),
};
