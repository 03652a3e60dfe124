import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { httpUrl, readableText, text, timestamp } from "../fields.ts";
import { finding } from "./endpoints.ts";
import { trackerPriorities, trackers } from "./trackers.ts";

const owner = { access: ["game_owner"], extension: true } as const;
const name = () => z.enum(trackers).meta({ description: "Tracker." });

export const tracker = z
  .strictObject({
    tracker: z.enum(trackers),
    state: z.enum(["connected", "not_connected"]),
    site: z.string().nullable().meta({ description: "Its address; the token is sent nowhere else." }),
    account: z.string().nullable().meta({ description: "What the tracker calls the account of the token." }),
    connectedAt: timestamp().nullable(),
    pausedUntil: timestamp().nullable().meta({ description: "Until when the tracker takes no more requests; null if it does." }),
  })
  .meta({ id: "Tracker" });

const connected = z.strictObject({ tracker });

/** Findings as issues of a team's tracker. */
export const filing = {
  listTrackers: endpoint("GET /trackers", {
    ...owner,
    summary: "List the trackers that findings can be filed in",
    reply: z.strictObject({ trackers: z.array(tracker) }),
  }),
  connectTracker: endpoint("POST /trackers/connect", {
    ...owner,
    ...audited("tracker.connect", "tracker", "site"),
    refusesBudgeted: true,
    summary: "Connect a tracker with a token of your account there",
    body: z.strictObject({
      tracker: name(),
      token: text(2000, 1)
        .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without blanks")
        .meta({ description: "Token that may read and write issues. It is stored encrypted." }),
      site: httpUrl().optional().meta({ description: "Address of a tracker of your own; required for Jira." }),
      email: text(200, 3).optional().meta({ description: "Email address of the account; required for Jira." }),
    }),
    reply: connected,
  }),
  disconnectTracker: endpoint("POST /trackers/disconnect", {
    ...owner,
    ...audited("tracker.disconnect", "tracker"),
    refusesBudgeted: true,
    summary: "Forget the token of a tracker; issues stay",
    risk: "destroy",
    body: z.strictObject({ tracker: name() }),
    reply: connected,
  }),
  fileFinding: endpoint("POST /findings/:id/issue", {
    ...owner,
    ...audited("finding.file", "tracker", "target", "share"),
    summary: "File a finding as an issue of a tracker, once",
    body: z.strictObject({
      tracker: name(),
      target: text(200, 1).meta({ description: "Repository, project or team: `acme/lantern`, or a key such as `LANT`." }),
      labels: z
        .array(readableText(50))
        .max(20)
        .refine((all) => new Set(all).size === all.length, "must not hold the same label twice")
        .default([])
        .meta({ description: "Labels of the issue." }),
      assignee: readableText(100).optional().meta({ description: "Who gets it, as the tracker names people." }),
      priority: z.enum(trackerPriorities).optional().meta({ description: "Priority, in Jira and Linear." }),
      type: readableText(50).optional().meta({ description: "Type of the issue, in GitHub, GitLab and Jira." }),
      share: z.boolean().default(false).meta({
        description:
          "Link to a public page of the first video, which needs no account until it expires. The other links lead to Studio.",
      }),
    }),
    reply: z.strictObject({ finding }),
  }),
  syncFindings: endpoint("POST /games/:id/findings/sync", {
    ...owner,
    summary: "Compare the findings of a game with their issues and with newer builds",
    reply: z.strictObject({ queued: z.int().min(0).meta({ description: "How many issues are looked up now." }) }),
  }),
};
