import * as z from "zod";
import { accountBytes, type Client } from "./client.ts";
import { timeOf } from "./github.ts";
import { commentFrame, framed, markdownOf, plainTitle, reframed } from "./markdown.ts";
import { type Draft, type Issue, type Place, Refusal, type Tracker } from "./tracker.ts";

/** https://docs.gitlab.com/api/issues, version 4. */

const user = z.object({ username: z.string() });
const users = z.array(z.object({ id: z.int() }));
const issueReply = z.object({
  iid: z.int().positive(),
  state: z.string(),
  closed_at: z.string().nullish(),
  description: z.string().nullish(),
});
const issues = z.array(issueReply);
const notes = z.array(z.object({ body: z.string() }));
const anything = z.unknown();

const perPage = 50;
const searchedPages = 20;

export class GitlabTracker implements Tracker {
  readonly #client: Client;
  readonly #site: string;
  constructor(client: Client, site: string) {
    this.#client = client;
    this.#site = site;
  }

  account = async () => (await this.#client.ask(user, { method: "GET", path: "/user", maxBytes: accountBytes })).username;

  async find(marker: string, target: string, since: number): Promise<Issue | undefined> {
    let ours: z.output<typeof issueReply> | undefined;
    for (let page = 1; page <= searchedPages; page++) {
      const query = new URLSearchParams({
        scope: "all",
        order_by: "created_at",
        created_after: new Date(since).toISOString(),
        per_page: String(perPage),
        page: String(page),
      });
      const found = await this.#client.ask(issues, { method: "GET", path: `${projectPath(target)}/issues?${query}` });
      ours = found.findLast(({ description }) => description?.includes(commentFrame(marker).begin)) ?? ours;
      if (found.length < perPage) break;
    }
    return ours && this.#issue(target, ours);
  }

  async create({ target, title, document, marker, labels, assignee, issue_type }: Draft): Promise<Issue> {
    const body = {
      title: plainTitle(title),
      description: framed(document, commentFrame(marker)),
      labels: labels.join(","),
      ...(assignee !== null && { assignee_ids: [await this.#userId(assignee)] }),
      ...(issue_type !== null && { issue_type }),
    };
    const path = `${projectPath(target)}/issues`;
    return this.#issue(target, await this.#client.ask(issueReply, { method: "POST", path, body, creates: true }));
  }

  async get({ target, id }: Place): Promise<Issue | undefined> {
    const found = await this.#client.find(issueReply, { method: "GET", path: issuePath({ target, id }) });
    return found && this.#issue(target, found);
  }

  async rewrite(place: Place, issue: Issue, document: Draft["document"], marker: string): Promise<void> {
    const description = reframed(String(issue.description ?? ""), document, commentFrame(marker));
    if (description !== undefined)
      await this.#client.ask(anything, { method: "PUT", path: issuePath(place), body: { description } });
  }

  async reopen(place: Place): Promise<void> {
    await this.#client.ask(anything, { method: "PUT", path: issuePath(place), body: { state_event: "reopen" } });
  }

  async comment(place: Place, document: Draft["document"], marker: string): Promise<void> {
    const path = `${issuePath(place)}/notes`;
    const frame = commentFrame(marker);
    for (let page = 1; page <= searchedPages; page++) {
      const said = await this.#client.ask(notes, { method: "GET", path: `${path}?per_page=${perPage}&page=${page}` });
      if (said.some(({ body }) => body.includes(frame.begin))) return;
      if (said.length < perPage) break;
    }
    const body = `${frame.begin}\n${markdownOf(document)}`;
    await this.#client.ask(anything, { method: "POST", path, body: { body }, creates: true });
  }

  async #userId(username: string): Promise<number> {
    const query = new URLSearchParams({ username });
    const [found] = await this.#client.ask(users, { method: "GET", path: `/users?${query}` });
    if (!found) throw new Refusal(422, `GitLab has no user ${JSON.stringify(username)}.`);
    return found.id;
  }

  #issue = (target: string, { iid, state, closed_at, description }: z.output<typeof issueReply>): Issue => ({
    id: String(iid),
    key: `#${iid}`,
    url: `${this.#site}/${target}/-/issues/${iid}`,
    isOpen: state !== "closed",
    closedAt: timeOf(closed_at),
    description,
  });
}

const projectPath = (target: string) => `/projects/${encodeURIComponent(target)}`;
const issuePath = ({ target, id }: Place) => `${projectPath(target)}/issues/${id}`;
