import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { id, page, readableText, timestamp } from "../fields.ts";
import { publicationStatuses } from "../states/index.ts";
import { publishers } from "./publishers.ts";

const owner = { access: ["game_owner"], extension: true } as const;
const approves = { access: ["approve"], extension: true } as const;

const state = () =>
  z.enum(publicationStatuses).meta({
    description:
      "`blocked`: the platform has the video, but does not show it. `failed`: it was given up. In both cases the video is on the server's own page.",
  });
const adapter = () => z.enum(publishers).meta({ description: "Where it is published; `own` is the server's own page." });

/** What became of the video of an accepted public slot. */
export const publication = z
  .strictObject({
    state: state(),
    adapter: adapter(),
    url: z.string().nullable().meta({ description: "Where everybody can watch it; null while nobody can." }),
    remoteId: z.string().nullable().meta({ description: "Id of the video on the platform, as long as it is there." }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why the last try failed, why it was given up, or why the video was removed." }),
    attempts: z.int().meta({ description: "How many tries failed." }),
    nextAttemptAt: timestamp().nullable().meta({ description: "When it goes on; null when nothing is left to do." }),
    bytesSent: z.int().meta({ description: "Bytes that the platform has." }),
    bytesTotal: z.int().meta({ description: "Size of the video in bytes." }),
  })
  .meta({ id: "Publication" });

/** The sentence to which a playtester consents who takes part in a public playtest. */
export const publicationConsent = z
  .strictObject({
    version: z.int().meta({ description: "Version of the sentence." }),
    text: z.string(),
  })
  .meta({ id: "PublicationConsent" });

export const givenConsent = publicationConsent
  .extend({
    acceptedAt: timestamp(),
    withdrawnAt: timestamp()
      .nullable()
      .meta({ description: "When the playtester, or a member of the team, withdrew it; null otherwise." }),
  })
  .meta({ id: "GivenPublicationConsent" });

export const adminPublication = publication
  .extend({
    detail: z.string().nullable().meta({ description: "What the platform or the server said itself about the reason." }),
    id: id(),
    slotId: id(),
    gameId: id(),
    gameName: z.string(),
    playtesterName: z.string(),
    createdAt: timestamp(),
  })
  .meta({ id: "AdminPublication" });

const adminReply = z.strictObject({ publication: adminPublication });

/** By what operators list publications: a state, or that it needs them. */
const publicationFilters = [...publicationStatuses, "troubled"] as const;
export type PublicationFilter = (typeof publicationFilters)[number];

/** The publication of a slot, for its owner. */
export const slotPublications = {
  getSlotPublication: endpoint("GET /slots/:id/publication", {
    ...owner,
    summary: "Show what became of the publication of a slot's video",
    reply: z.strictObject({ publication }),
  }),
  unpublishSlot: endpoint("POST /slots/:id/unpublish", {
    ...owner,
    summary: "Remove the published video of a slot, on the platform too",
    risk: "destroy",
    body: z.strictObject({ reason: readableText(5000).meta({ description: "Reason, kept with the publication." }) }),
    reply: z.strictObject({ publication }),
  }),
};

/** All publications, for operators. */
export const publications = {
  listPublications: endpoint("GET /admin/publications", {
    ...approves,
    summary: "List the publications of videos",
    query: z.object({
      ...page,
      state: z.enum(publicationFilters).optional().meta({
        description:
          "Only publications in this state. `troubled`: those that need an operator, which are blocked, failed, or removed but not deleted by the platform.",
      }),
    }),
    list: true,
    reply: z.strictObject({ publications: z.array(adminPublication) }),
  }),
  retryPublication: endpoint("POST /admin/publications/:id/retry", {
    ...approves,
    ...audited("publication.retry"),
    summary: "Try again to publish a video, or to delete a removed one on its platform",
    reply: adminReply,
  }),
  movePublication: endpoint("POST /admin/publications/:id/move", {
    ...approves,
    ...audited("publication.move", "to"),
    summary: "Publish a video elsewhere, and remove it where it is",
    risk: "destroy",
    body: z.strictObject({
      to: z.enum(publishers).meta({ description: "Where to publish it; `own` is the server's own page." }),
    }),
    reply: adminReply,
  }),
  removePublication: endpoint("POST /admin/publications/:id/remove", {
    ...approves,
    ...audited("publication.remove", "reason"),
    summary: "Remove a published video, on the platform too",
    risk: "destroy",
    body: z.strictObject({ reason: readableText(5000).meta({ description: "Reason, shown to the owner." }) }),
    reply: adminReply,
  }),
};
