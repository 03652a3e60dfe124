import * as z from "zod";
import { findingStatuses } from "../../../src/contract/findings/statuses.ts";
import { momentKinds } from "../../../src/contract/moments/kinds.ts";
import { studio } from "../../../src/contract/pages/addresses.ts";
import { chosen, continued, fitting } from "../answer.ts";
import { tool } from "../tool.ts";
import { numbered, oneLine } from "../untrusted.ts";
import { count, cursor, fields, id, limit, list, more, text } from "./fields.ts";

export const listFindings = tool({
  name: "list_findings",
  toolset: "read",
  description:
    "Findings of a game, highest rank first; `build` and `against` compare builds. Line N of the text is the title of item N.",
  input: {
    game: id(),
    status: z.enum(findingStatuses).optional(),
    build: id().optional(),
    against: id().optional(),
    limit,
    cursor,
    fields,
  },
  output: {
    findings: list({
      id: z.string(),
      number: count(),
      kind: text(),
      severity: count(),
      status: text(),
      seen: count(),
      of: count(),
      change: text(),
      url: text(),
    }),
    ...more,
  },
  quotes: true,
  run: ({ game, status, build, against, limit, cursor, fields }, { host }) =>
    fitting(limit, async (size) => {
      const query = { status, build, against, limit: size, cursor };
      const { data, meta } = await host.call("listFindings", { params: { id: game }, query });
      const findings = data.findings.map((finding) => ({
        id: finding.id,
        number: finding.number,
        kind: finding.kind,
        ...(finding.severity !== null && { severity: finding.severity }),
        status: finding.status,
        seen: finding.testers.seen,
        of: finding.testers.of,
        ...(finding.against && { change: finding.against.change }),
        url: host.baseUrl + studio.finding(finding.id),
      }));
      return {
        lines: findings.map(
          ({ id, number, kind, status, seen, of }) => `${id} #${number} ${kind}, ${status}, seen by ${seen} of ${of}`,
        ),
        data: { findings: chosen(findings, fields), ...continued(meta.hasMore ? meta.cursor : null) },
        ...(findings.length > 0 && { untrustedText: numbered(data.findings.map(({ title }) => oneLine(title, 200))) }),
      };
    }),
});

export const getFinding = tool({
  name: "get_finding",
  toolset: "read",
  description: "A finding with its evidence. Line N+1 of the text belongs to item N; the first line is the finding's own.",
  input: { finding: id(), limit: limit.default(20) },
  output: {
    finding: z.string(),
    number: z.int(),
    status: z.string(),
    seen: z.int(),
    of: z.int(),
    url: z.string(),
    evidence: list({ slot: z.string(), second: z.int() }),
    truncated: z.boolean(),
  },
  quotes: true,
  run: ({ finding: findingId, limit }, { host }) =>
    fitting(limit, async (size) => {
      const { finding } = (await host.call("getFinding", { params: { id: findingId } })).data;
      const evidence = finding.evidence.slice(0, size);
      const url = host.baseUrl + studio.finding(finding.id);
      return {
        lines: [
          `${finding.id} #${finding.number} ${finding.status}, seen by ${finding.testers.seen} of ${finding.testers.of}: ${url}`,
          ...evidence.map(({ slotId, fromMs }) => `${slotId} at second ${Math.floor(fromMs / 1000)}`),
        ],
        data: {
          finding: finding.id,
          number: finding.number,
          status: finding.status,
          seen: finding.testers.seen,
          of: finding.testers.of,
          url,
          evidence: evidence.map(({ slotId, fromMs }) => ({ slot: slotId, second: Math.floor(fromMs / 1000) })),
          truncated: finding.evidence.length > evidence.length,
        },
        untrustedText: [
          oneLine(`${finding.title}: ${finding.text}`, 1500),
          ...evidence.map(({ quote, text }) => oneLine(quote ?? text ?? "", 300)),
        ].join("\n"),
      };
    }),
});

export const createFinding = tool({
  name: "create_finding",
  toolset: "review",
  description: "Create a finding of a game, if wanted with a place in a video as evidence.",
  input: {
    game: id(),
    title: z.string().min(1).max(200),
    text: z.string().max(5000).default(""),
    kind: z.enum(momentKinds).default("note"),
    severity: z.int().min(1).max(4).optional(),
    slot: id().optional(),
    second: z.number().min(0).default(0),
  },
  output: { finding: z.string(), number: z.int(), url: z.string() },
  async run({ game, title, text, kind, severity, slot, second }, { host }) {
    // Before anything is created: evidence that is not there would leave a finding without any.
    if (slot !== undefined) await host.call("getSlot", { params: { id: slot } });
    const body = { title, text, kind, severity: severity ?? null };
    const { finding } = (await host.call("createFinding", { params: { id: game }, body })).data;
    if (slot !== undefined)
      await host.call("addEvidence", { params: { id: finding.id }, body: { slotId: slot, fromMs: Math.floor(second * 1000) } });
    const url = host.baseUrl + studio.finding(finding.id);
    return { lines: [`Created finding #${finding.number}: ${url}`], data: { finding: finding.id, number: finding.number, url } };
  },
});
