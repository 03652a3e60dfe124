import * as z from "zod";
import type { TrackerPriority } from "../../src/contract/findings/trackers.ts";
import { oneLine } from "../../src/contract/text/one-line.ts";
import { accountBytes, type Client } from "./client.ts";
import type { Document, Run } from "./document.ts";
import { timeOf } from "./github.ts";
import { type Draft, type Issue, type Place, Refusal, type Tracker } from "./tracker.ts";

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3, with descriptions in the Atlassian Document Format. */

const user = z.object({ displayName: z.string() });
const users = z.array(z.object({ accountId: z.string() }));
const created = z.object({ key: z.string().regex(/^[A-Z][A-Z0-9_]*-\d+$/) });
const issueReply = created.extend({
  fields: z.object({
    status: z.object({ statusCategory: z.object({ key: z.string() }) }),
    resolutiondate: z.string().nullish(),
    description: z.unknown(),
  }),
});
const found = z.object({ issues: z.array(created) });
const transitions = z.object({
  transitions: z.array(z.object({ id: z.string(), to: z.object({ statusCategory: z.object({ key: z.string() }) }) })),
});
const comments = z.object({ comments: z.array(z.object({ body: z.unknown() })) });
const anything = z.unknown();

const priorities: Readonly<Record<TrackerPriority, string>> = { urgent: "Highest", high: "High", medium: "Medium", low: "Low" };
const usualType = "Task";

interface AdfNode {
  type: string;
  attrs?: Record<string, unknown>;
  content?: readonly AdfNode[];
  text?: string;
  marks?: readonly { type: string; attrs?: Record<string, unknown> }[];
}

/** Text of the format is never markup: what people wrote is only set apart. */
function nodeOf(run: Run): AdfNode[] {
  if ("said" in run) {
    const text = oneLine(run.said).trim();
    return text === "" ? [] : [{ type: "text", text, marks: [{ type: "code" }] }];
  }
  // A picture of another site cannot stand among text.
  const href = "image" in run ? run.image : "href" in run ? run.href : undefined;
  return [{ type: "text", text: run.words, ...(href !== undefined && { marks: [{ type: "link", attrs: { href } }] }) }];
}

const paragraph = (runs: readonly Run[]): AdfNode => ({ type: "paragraph", content: runs.flatMap(nodeOf) });

function blocksOf(document: Document): AdfNode[] {
  const blocks: AdfNode[] = [];
  for (const { item, runs } of document) {
    const last = blocks.at(-1);
    if (!item) blocks.push(paragraph(runs));
    else {
      const entry: AdfNode = { type: "listItem", content: [paragraph(runs)] };
      if (last?.type === "bulletList") blocks[blocks.length - 1] = { ...last, content: [...last.content!, entry] };
      else blocks.push({ type: "bulletList", content: [entry] });
    }
  }
  return blocks;
}

/** A part of the description that can be folded, and is known by the marker in its title. */
const expandOf = (document: Document, marker: string): AdfNode => ({
  type: "expand",
  attrs: { title: marker },
  content: blocksOf(document),
});

const doc = (content: readonly AdfNode[]) => ({ type: "doc", version: 1, content });

const isOurs = ({ type, attrs }: AdfNode, marker: string) => type === "expand" && attrs?.title === marker;

/** A label cannot have blanks. */
const labelOf = (text: string) => text.trim().replace(/\s+/g, "_");
/** The label by which an issue is found whose creation had no reply. */
const markerLabel = (marker: string) => labelOf(marker);

export class JiraTracker implements Tracker {
  readonly #client: Client;
  readonly #site: string;
  constructor(client: Client, site: string) {
    this.#client = client;
    this.#site = site;
  }

  account = async () => (await this.#client.ask(user, { method: "GET", path: "/myself", maxBytes: accountBytes })).displayName;

  async find(marker: string, target: string): Promise<Issue | undefined> {
    const jql = `project = "${target}" AND labels = "${markerLabel(marker)}"`;
    const body = { jql, maxResults: 1, fields: ["status"] };
    const { issues } = await this.#client.ask(found, { method: "POST", path: "/search/jql", body });
    return issues[0] && this.get({ target, id: issues[0].key });
  }

  async create({ target, title, document, marker, labels, assignee, priority, issue_type }: Draft): Promise<Issue> {
    const fields = {
      project: { key: target },
      issuetype: { name: issue_type ?? usualType },
      summary: oneLine(title),
      description: doc([expandOf(document, marker)]),
      labels: [...labels.map(labelOf), markerLabel(marker)],
      ...(priority !== null && { priority: { name: priorities[priority] } }),
      ...(assignee !== null && { assignee: { accountId: await this.#accountId(assignee) } }),
    };
    const { key } = await this.#client.ask(created, { method: "POST", path: "/issue", body: { fields }, creates: true });
    return { id: key, key, url: this.#url(key), isOpen: true, closedAt: null, description: fields.description };
  }

  async get({ id }: Place): Promise<Issue | undefined> {
    const path = `/issue/${id}?fields=status,resolutiondate,description`;
    const reply = await this.#client.find(issueReply, { method: "GET", path });
    if (!reply) return undefined;
    const { key, fields } = reply;
    const isOpen = fields.status.statusCategory.key !== "done";
    return { id, key, url: this.#url(key), isOpen, closedAt: timeOf(fields.resolutiondate), description: fields.description };
  }

  async rewrite({ id }: Place, { description }: Issue, document: Document, marker: string): Promise<void> {
    const content = (description as { content?: readonly AdfNode[] } | null)?.content ?? [];
    if (!content.some((node) => isOurs(node, marker))) return;
    const replaced = content.map((node) => (isOurs(node, marker) ? expandOf(document, marker) : node));
    const body = { fields: { description: doc(replaced) } };
    await this.#client.ask(anything, { method: "PUT", path: `/issue/${id}`, body });
  }

  async reopen({ id }: Place): Promise<void> {
    const path = `/issue/${id}/transitions`;
    const { transitions: known } = await this.#client.ask(transitions, { method: "GET", path });
    const open = known.filter(({ to }) => to.statusCategory.key !== "done");
    const to = open.find(({ to: { statusCategory } }) => statusCategory.key === "new") ?? open[0];
    if (!to) throw new Refusal(409, `The workflow of ${id} in Jira has no step that opens it again.`);
    await this.#client.ask(anything, { method: "POST", path, body: { transition: { id: to.id } } });
  }

  async comment({ id }: Place, document: Document, marker: string): Promise<void> {
    const path = `/issue/${id}/comment`;
    const { comments: said } = await this.#client.ask(comments, {
      method: "GET",
      path: `${path}?orderBy=-created&maxResults=100`,
    });
    if (said.some(({ body }) => JSON.stringify(body ?? "").includes(JSON.stringify(marker).slice(1, -1)))) return;
    const body = doc([...blocksOf(document), paragraph([{ said: marker }])]);
    await this.#client.ask(anything, { method: "POST", path, body: { body }, creates: true });
  }

  async #accountId(query: string): Promise<string> {
    const path = `/user/search?${new URLSearchParams({ query, maxResults: "2" })}`;
    const matching = await this.#client.ask(users, { method: "GET", path });
    if (matching.length !== 1)
      throw new Refusal(422, `Jira has ${matching.length === 0 ? "no user" : "several users"} for ${JSON.stringify(query)}.`);
    return matching[0]!.accountId;
  }

  #url = (key: string) => `${this.#site}/browse/${key}`;
}
