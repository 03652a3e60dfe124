import * as z from "zod";
import { findingStatuses } from "../../../src/contract/findings/statuses.ts";
import type { Data, Input } from "../../../src/contract/index.ts";
import { momentKinds } from "../../../src/contract/moments/kinds.ts";
import { studio } from "../../../src/contract/pages/addresses.ts";
import { secondsInMs } from "../../../src/contract/text/position.ts";
import { wrongCursor } from "../../http/cursor.ts";
import { invalid } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { type Answer, chosen, continued, fitting } from "../answer.ts";
import { type Host, ifPermitted } from "../host.ts";
import { tool } from "../tool.ts";
import { numbered, plainLine } from "../untrusted.ts";
import { count, cursor, fields, id, limit, list, more, text } from "./fields.ts";

type Finding = Data<"getFinding">["finding"];
type FindingBody = NonNullable<Input<"createFinding">["body"]>;

const itemOf = (host: Host, finding: Finding) => ({
  id: finding.id,
  number: finding.number,
  kind: finding.kind,
  ...(finding.severity !== null && { severity: finding.severity }),
  status: finding.status,
  seen: finding.testers.seen,
  of: finding.testers.of,
  ...(finding.against && { change: finding.against.change }),
  url: host.baseUrl + studio.finding(finding.id),
});

const lineOf = ({ id, number, kind, status, testers }: Finding) =>
  `${id} #${number} ${kind}, ${status}, seen by ${testers.seen} of ${testers.of}`;

/** One finding with where it is seen. The first line of its text is its own, the others belong to the evidence. Its cursor is an index. */
async function oneFinding(host: Host, findingId: string, size: number, cursor = "0"): Promise<Answer> {
  if (!/^\d{1,9}$/.test(cursor)) throw wrongCursor();
  const [from, to] = [Number(cursor), Number(cursor) + size];
  const { finding } = (await host.call("getFinding", { params: { id: findingId } })).data;
  const shown = finding.evidence.slice(from, to);
  const evidence = shown.map(({ slotId, fromMs }) => ({ slot: slotId, second: Math.floor(fromMs / 1000) }));
  return {
    lines: [lineOf(finding), ...evidence.map(({ slot, second }) => `${slot} at second ${second}`)],
    data: { findings: [itemOf(host, finding)], evidence, ...continued(finding.evidence.length > to ? String(to) : null) },
    untrustedText: [
      plainLine(`${finding.title}: ${finding.text}`, 1500),
      ...shown.map(({ quote, text }) => plainLine(quote ?? text ?? "", 300)),
    ].join("\n"),
  };
}

export const listFindings = tool({
  name: "list_findings",
  toolset: "read",
  description:
    "Findings of a game, highest rank first, or one with its evidence. `build` with `against` compares builds. Line N of the text is item N; of one finding, line N+1 is evidence N.",
  input: {
    game: id().optional(),
    finding: id().optional(),
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
    evidence: list({ slot: z.string(), second: z.int() }).optional(),
    ...more,
  },
  quotes: true,
  run: ({ game, finding, status, build, against, limit, cursor, fields }, { host }) =>
    fitting(limit, async (size) => {
      if (finding !== undefined) return oneFinding(host, finding, size, cursor);
      if (game === undefined) throw invalid("game", "is required without `finding`");
      const query = { status, build, against, limit: size, cursor };
      const { data, meta } = await host.call("listFindings", { params: { id: game }, query });
      const findings = data.findings.map((one) => itemOf(host, one));
      return {
        lines: data.findings.map(lineOf),
        data: { findings: chosen(findings, fields), ...continued(meta.hasMore ? meta.cursor : null) },
        ...(findings.length > 0 && { untrustedText: numbered(data.findings.map(({ title }) => plainLine(title, 200))) }),
      };
    }),
});

/**
 * Creates a finding. An idempotency key made from what it says lets a repeated call take effect once, unless the finding was deleted since:
 * `after` is its id.
 */
async function createOnce(host: Host, gameId: string, body: FindingBody, after?: string): Promise<Finding> {
  const idempotencyKey = `mcp-${sha256(JSON.stringify([gameId, body, after]))}`;
  const { data, headers } = await host.call("createFinding", { params: { id: gameId }, body, idempotencyKey });
  const { finding } = data;
  const isThere =
    headers?.["idempotency-replayed"] !== "true" ||
    (await ifPermitted(host, host.call("getFinding", { params: { id: finding.id } }))) !== undefined;
  return isThere ? finding : createOnce(host, gameId, body, finding.id);
}

export const createFinding = tool({
  name: "create_finding",
  toolset: "review",
  description: "Create a finding, with a place in a video as evidence.",
  input: {
    game: id(),
    title: z.string().min(1).max(200),
    text: z.string().max(5000).optional(),
    kind: z.enum(momentKinds).optional(),
    severity: z.int().min(1).max(4).optional(),
    slot: id().optional(),
    second: z.number().min(0).optional(),
  },
  output: { finding: z.string(), number: z.int(), url: z.string() },
  async run({ game, title, text, kind, severity, slot, second = 0 }, { host }) {
    const evidence = slot === undefined ? [] : [{ slotId: slot, fromMs: secondsInMs(second) }];
    const { id, number } = await createOnce(host, game, { title, text, kind, severity: severity ?? null, evidence });
    const url = host.baseUrl + studio.finding(id);
    return { lines: [`Created finding #${number}: ${url}`], data: { finding: id, number, url } };
  },
});
