import * as z from "zod";
import type { TrackerPriority } from "../../src/contract/findings/trackers.ts";
import type { Client } from "./client.ts";
import type { Document } from "./document.ts";
import { timeOf } from "./github.ts";
import { type Frame, framed, markdownOf, plainTitle, reframed } from "./markdown.ts";
import { uuidOf } from "./rules.ts";
import { type Draft, type Issue, type Place, Refusal, type Tracker } from "./tracker.ts";

/** https://linear.app/developers/graphql. Issues and comments get ids that follow from their markers, so that a second one is refused. */

const issueNode = z.object({
  id: z.string(),
  identifier: z.string().regex(/^[\w-]{1,50}$/),
  url: z.string(),
  trashed: z.boolean().nullish(),
  completedAt: z.string().nullish(),
  canceledAt: z.string().nullish(),
  description: z.string().nullish(),
});
const nodes = <T extends z.ZodType>(node: T) => z.object({ nodes: z.array(node) });
const withId = z.object({ id: z.string() });
const labelNode = withId.extend({ name: z.string(), team: z.object({ key: z.string() }).nullish() });
const data = <T extends z.ZodRawShape>(shape: T) => z.object({ data: z.object(shape) });

const issueFields = "id identifier url trashed completedAt canceledAt description";
const priorities: Readonly<Record<TrackerPriority, number>> = { urgent: 1, high: 2, medium: 3, low: 4 };

/** Linear's Markdown has no comments, so the frame can be seen. */
const frameOf = (marker: string): Frame => ({ begin: `**${marker}**`, end: `*end of ${marker}*` });

export class LinearTracker implements Tracker {
  readonly #client: Client;
  readonly #site: string;
  constructor(client: Client, site: string) {
    this.#client = client;
    this.#site = site;
  }

  async account(): Promise<string> {
    const schema = data({ viewer: z.object({ name: z.string() }) });
    return (await this.#query(schema, "query { viewer { name } }")).data.viewer.name;
  }

  async find(marker: string): Promise<Issue | "deleted" | undefined> {
    const node = await this.#node(uuidOf(marker));
    return node?.trashed === true ? "deleted" : node && this.#issue(node);
  }

  async create({ target, title, document, marker, labels, assignee, priority }: Draft): Promise<Issue> {
    const input = {
      id: uuidOf(marker),
      teamId: await this.#teamId(target),
      title: plainTitle(title),
      description: framed(document, frameOf(marker)),
      labelIds: await this.#labelIds(labels, target),
      ...(priority !== null && { priority: priorities[priority] }),
      ...(assignee !== null && { assigneeId: await this.#userId(assignee) }),
    };
    const mutation = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${issueFields} } } }`;
    const schema = data({ issueCreate: z.object({ issue: issueNode }) });
    return this.#issue((await this.#query(schema, mutation, { input }, true)).data.issueCreate.issue);
  }

  async get({ id }: Place): Promise<Issue | undefined> {
    const node = await this.#node(id);
    return node && node.trashed !== true ? this.#issue(node) : undefined;
  }

  async #node(id: string): Promise<z.output<typeof issueNode> | undefined> {
    const query = `query ($id: ID!) { issues(filter: { id: { eq: $id } }, includeArchived: true) { nodes { ${issueFields} } } }`;
    return (await this.#query(data({ issues: nodes(issueNode) }), query, { id })).data.issues.nodes[0];
  }

  async rewrite({ id }: Place, issue: Issue, document: Document, marker: string): Promise<void> {
    const description = reframed(String(issue.description ?? ""), document, frameOf(marker));
    if (description !== undefined) await this.#update(id, { description });
  }

  async reopen({ target, id }: Place): Promise<void> {
    const query = `query ($key: String!) { teams(filter: { key: { eq: $key } }) { nodes { states { nodes { id type } } } } }`;
    const schema = data({ teams: nodes(z.object({ states: nodes(withId.extend({ type: z.string() })) })) });
    const states = (await this.#query(schema, query, { key: target })).data.teams.nodes[0]?.states.nodes ?? [];
    const open = ["unstarted", "backlog", "triage", "started"].flatMap((type) => states.filter((state) => state.type === type));
    if (!open[0]) throw new Refusal(409, `The team ${target} in Linear has no status for open issues.`);
    await this.#update(id, { stateId: open[0].id });
  }

  async comment({ id }: Place, document: Document, marker: string): Promise<void> {
    const commentId = uuidOf(`${id} ${marker}`);
    const query = `query ($id: ID!) { comments(filter: { id: { eq: $id } }) { nodes { id } } }`;
    const known = (await this.#query(data({ comments: nodes(withId) }), query, { id: commentId })).data.comments.nodes;
    if (known.length > 0) return;
    const input = { id: commentId, issueId: id, body: markdownOf(document) };
    const mutation = "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }";
    await this.#query(data({ commentCreate: z.unknown() }), mutation, { input }, true);
  }

  async #update(id: string, input: object): Promise<void> {
    const mutation = "mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }";
    await this.#query(data({ issueUpdate: z.unknown() }), mutation, { id, input });
  }

  async #teamId(key: string): Promise<string> {
    const query = "query ($key: String!) { teams(filter: { key: { eq: $key } }) { nodes { id } } }";
    const [team] = (await this.#query(data({ teams: nodes(withId) }), query, { key })).data.teams.nodes;
    if (!team) throw new Refusal(422, `Linear has no team ${key}, or the token cannot see it.`);
    return team.id;
  }

  /**
   * The labels of these names: the team's own or the workspace's, else those of another team. Linear decides whether the issue may have
   * those, because a team also has the labels of the team that it is part of.
   */
  async #labelIds(names: readonly string[], team: string): Promise<string[]> {
    if (names.length === 0) return [];
    const query =
      "query ($names: [String!]!) { issueLabels(filter: { name: { in: $names } }, first: 250) { nodes { id name team { key } } } }";
    const schema = data({ issueLabels: nodes(labelNode) });
    const known = (await this.#query(schema, query, { names })).data.issueLabels.nodes;
    return names.map((name) => {
      const named = known.filter((one) => one.name === name);
      const label = named.find((one) => one.team?.key === team) ?? named.find((one) => !one.team) ?? named[0];
      if (!label) throw new Refusal(422, `Linear has no label ${JSON.stringify(name)}. Create it there first.`);
      return label.id;
    });
  }

  async #userId(name: string): Promise<string> {
    const query = `query ($name: String!) { users(filter: { or: [{ email: { eq: $name } }, { displayName: { eq: $name } }] }) { nodes { id } } }`;
    const found = (await this.#query(data({ users: nodes(withId) }), query, { name })).data.users.nodes;
    if (found.length !== 1)
      throw new Refusal(422, `Linear has ${found.length === 0 ? "no user" : "several users"} for ${JSON.stringify(name)}.`);
    return found[0]!.id;
  }

  #query = <T>(schema: z.ZodType<T>, query: string, variables: object = {}, creates = false) =>
    this.#client.ask(schema, { method: "POST", path: "/graphql", body: { query, variables }, creates });

  #issue({ id, identifier, url, completedAt, canceledAt, description }: z.output<typeof issueNode>): Issue {
    const closedAt = timeOf(completedAt ?? canceledAt);
    // The workspace is only in its own link, which has to lead to Linear.
    const page = URL.canParse(url) && new URL(url).protocol === "https:" && new URL(url).origin === this.#site ? url : null;
    return { id, key: identifier, url: page, isOpen: closedAt === null, closedAt, description };
  }
}
