import * as z from "zod";
import { endpoint, KiB } from "../endpoint.ts";
import { id, message, page, queryInteger, readableText, text, timestamp } from "../fields.ts";
import { onlySeverity, position, severity, tag, tags } from "../moments/endpoints.ts";
import { momentKinds } from "../moments/kinds.ts";
import { playtester } from "../slots.ts";
import { issue } from "./issues.ts";
import { longestQuote, maxEvidence, maxFirstEvidence } from "./limits.ts";
import { buildChanges, findingStatuses } from "./statuses.ts";

const owner = { access: ["game_owner"], extension: true } as const;

const fields = {
  title: readableText(200).meta({ description: "What is wrong or good, in a few words." }),
  text: readableText(5000, 0).meta({ description: "More about it, such as what was expected." }),
  kind: z.enum(momentKinds).meta({ description: "Kind of the observation." }),
  severity: severity().nullable().meta({ description: "How bad it is, from minor to what blocks the player." }),
  tags: tags(),
  status: z.enum(findingStatuses).meta({
    description:
      "`open`: nothing was decided. `filed`: in a tracker. `fixed`: should be gone from the next build. `verified`: was absent from it. `wontfix`: stays.",
  }),
};

const count = (description: string) => z.int().min(0).meta({ description });

const evidence = z
  .strictObject({
    id: id(),
    slotId: id(),
    playtester: playtester.nullable().meta({ description: "Whose video it is; null if nobody holds the slot any longer." }),
    fromMs: position().meta({ description: "Where it begins in the video, in milliseconds." }),
    toMs: position().nullable().meta({ description: "Where it ends; null for a single point." }),
    momentId: id().nullable().meta({ description: "The moment that it is; null for a span without one." }),
    quote: z.string().nullable().meta({ description: "What is said there, as the transcript has it." }),
    text: z.string().nullable().meta({ description: "What was noted at the moment; null without one." }),
  })
  .meta({ id: "FindingEvidence" });

export const finding = z
  .strictObject({
    id: id(),
    number: z.int().min(1).meta({ description: "Counts up in each game, and is never given twice." }),
    gameId: id(),
    ...fields,
    evidence: z.array(evidence).meta({ description: "Where it is seen, in the order of playtesters and videos." }),
    testers: z.strictObject({
      seen: count("Playtesters who met it."),
      of: count("Playtesters with a video that was not rejected."),
      reached: count("Those of them who met it or played until `firstSeenMs`."),
    }),
    builds: z
      .array(
        z.strictObject({ id: id(), version: z.string().nullable(), seen: count("Who met it."), of: count("Who played it.") }),
      )
      .meta({ description: "The builds in which it was met, the newest first." }),
    firstSeenMs: position()
      .nullable()
      .meta({ description: "The median of where each playtester first met it, in milliseconds; null if nobody did." }),
    rank: z.number().min(0).meta({ description: "Severity, 1 without one, times the share of the playtesters who met it." }),
    against: z
      .strictObject({
        seen: count("Playtesters who met it in the other build."),
        of: count("Playtesters of the other build."),
        change: z.enum(buildChanges).meta({ description: "What is so in `build` and not in the other." }),
        p: z.number().nullable().meta({
          description:
            "Probability of such a difference by chance alone (Fisher's exact test, by Holm's method over all findings of the list); null where so few playtesters can show none.",
        }),
      })
      .nullable()
      .meta({ description: "The comparison with another build; null unless `against` asks for it." }),
    absence: z
      .strictObject({
        of: count("Playtesters of builds that came after it was closed. None of them met it."),
        p: z.number().meta({ description: "Probability that so many would miss it by chance (Fisher's exact test)." }),
      })
      .nullable()
      .meta({
        description: "What newer builds say of a closed finding; null while it is open, or was met again, or nobody played one.",
      }),
    issue: issue.nullable().meta({ description: "Its issue in a tracker; null if it was not filed." }),
    mergedInto: id().nullable().meta({ description: "The finding that its evidence was moved to; it shows nothing of its own." }),
    canUndo: z
      .boolean()
      .optional()
      .meta({ description: "Whether it has a merge or split that can be undone; only where one finding is shown." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Finding" });

const reply = z.strictObject({ finding });

const newEvidence = z.strictObject({
  momentId: id().optional().meta({ description: "A moment; no other field is given then." }),
  slotId: id().optional().meta({ description: "The slot of the video." }),
  fromMs: position().optional().meta({ description: "Where it begins in the video, in milliseconds." }),
  toMs: position().optional().meta({ description: "Where it ends; left out for a single point." }),
  quote: readableText(longestQuote)
    .optional()
    .meta({ description: "What is said there: words of the transcript, no more than a cue away." }),
});

const changed = {
  title: fields.title.optional().meta(fields.title.meta()!),
  text: fields.text.optional().meta(fields.text.meta()!),
  kind: fields.kind.optional().meta(fields.kind.meta()!),
  severity: fields.severity.optional().meta(fields.severity.meta()!),
  tags: fields.tags.optional().meta(fields.tags.meta()!),
  status: fields.status.optional().meta(fields.status.meta()!),
};

export const findings = {
  createFinding: endpoint("POST /games/:id/findings", {
    ...owner,
    summary: "Create a finding of a game",
    maxBodyBytes: 160 * KiB,
    body: z.strictObject({
      title: fields.title,
      text: fields.text.default("").meta(fields.text.meta()!),
      kind: fields.kind.default("note").meta(fields.kind.meta()!),
      severity: changed.severity,
      tags: tags().default([]),
      status: fields.status.default("open").meta(fields.status.meta()!),
      evidence: z
        .array(newEvidence)
        .max(maxFirstEvidence)
        .default([])
        .meta({ description: "Where it is seen. If a piece is refused, no finding is created." }),
    }),
    status: 201,
    reply,
  }),
  listFindings: endpoint("GET /games/:id/findings", {
    ...owner,
    summary: "List the findings of a game, the highest rank first",
    query: z.object({
      ...page,
      number: queryInteger(1, 999_999_999)
        .optional()
        .meta({ description: "Only the finding with this number, even if it was merged into another." }),
      kind: z.enum(momentKinds).optional().meta({ description: "Only this kind." }),
      severity: onlySeverity(),
      status: z.enum(findingStatuses).optional().meta({ description: "Only with this status." }),
      tag: tag().optional().meta({ description: "Only with this tag." }),
      build: id().optional().meta({ description: "Only what was met in this build, counted in its videos." }),
      against: id().optional().meta({ description: "Another build to compare `build` with; what was met in either is listed." }),
      playtest: id().optional().meta({ description: "Only what was met in this playtest, counted in its videos." }),
      text: text(200, 1).optional().meta({ description: "Only with this in title or text, in any case." }),
    }),
    list: true,
    reply: z.strictObject({ findings: z.array(finding) }),
  }),
  getFinding: endpoint("GET /findings/:id", { ...owner, summary: "Show a finding with its evidence", reply }),
  updateFinding: endpoint("PATCH /findings/:id", {
    ...owner,
    summary: "Change a finding",
    body: z.strictObject(changed),
    reply,
  }),
  deleteFinding: endpoint("DELETE /findings/:id", {
    ...owner,
    summary: "Delete a finding and those that were merged into it; moments and videos stay",
    risk: "destroy",
    reply: message(),
  }),
  addEvidence: endpoint("POST /findings/:id/evidence", {
    ...owner,
    summary: "Add a moment or a span of a video to a finding",
    body: newEvidence,
    status: 201,
    reply,
  }),
  removeEvidence: endpoint("DELETE /findings/:id/evidence/:evidenceId", {
    ...owner,
    summary: "Remove evidence from a finding; the moment itself stays",
    reply,
  }),
  mergeFinding: endpoint("POST /findings/:id/merge", {
    ...owner,
    summary: "Move all evidence of another finding of the game to this one",
    body: z.strictObject({ findingId: id().meta({ description: "The other finding, which ends." }) }),
    reply,
  }),
  splitFinding: endpoint("POST /findings/:id/split", {
    ...owner,
    summary: "Move some evidence to a new finding",
    maxBodyBytes: 320 * KiB,
    body: z.strictObject({
      evidenceIds: z
        .array(id())
        .min(1)
        .max(maxEvidence)
        .refine((ids) => new Set(ids).size === ids.length, "must not hold the same id twice")
        .meta({ description: "The evidence that moves." }),
      title: fields.title,
    }),
    status: 201,
    reply,
  }),
  undoFinding: endpoint("POST /findings/:id/undo", {
    ...owner,
    summary: "Undo the last merge or split of a finding",
    reply,
  }),
};
