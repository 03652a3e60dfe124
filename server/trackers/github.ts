import * as z from "zod";
import { accountBytes, type Client } from "./client.ts";
import { commentFrame, framed, markdownOf, plainTitle, reframed } from "./markdown.ts";
import type { Draft, Issue, Place, Tracker } from "./tracker.ts";

/** https://docs.github.com/en/rest/issues, version 2022-11-28. */

const user = z.object({ login: z.string() });
const issueReply = z.object({
  number: z.int().positive(),
  state: z.string(),
  closed_at: z.string().nullish(),
  body: z.string().nullish(),
});
const issues = z.array(issueReply);
const comments = z.array(z.object({ body: z.string().nullish() }));
const anything = z.unknown();

const perPage = 50;
/** Of the newest issues, so many pages are searched for one whose creation had no reply. */
const searchedPages = 20;

export class GithubTracker implements Tracker {
  readonly #client: Client;
  readonly #site: string;
  constructor(client: Client, site: string) {
    this.#client = client;
    this.#site = site;
  }

  account = async () => (await this.#client.ask(user, { method: "GET", path: "/user", maxBytes: accountBytes })).login;

  /** Lists issues, because the search of GitHub knows a new one only after some time. */
  async find(marker: string, target: string, since: number): Promise<Issue | undefined> {
    let ours: z.output<typeof issueReply> | undefined;
    for (let page = 1; page <= searchedPages; page++) {
      const query = new URLSearchParams({
        state: "all",
        sort: "created",
        direction: "desc",
        since: new Date(since).toISOString(),
        per_page: String(perPage),
        page: String(page),
      });
      const found = await this.#client.ask(issues, { method: "GET", path: `/repos/${target}/issues?${query}` });
      ours = found.findLast(({ body }) => body?.includes(commentFrame(marker).begin)) ?? ours;
      if (found.length < perPage) break;
    }
    return ours && this.#issue(target, ours);
  }

  async create({ target, title, document, marker, labels, assignee, issue_type }: Draft): Promise<Issue> {
    const body = {
      title: plainTitle(title),
      body: framed(document, commentFrame(marker)),
      labels,
      ...(assignee !== null && { assignees: [assignee] }),
      ...(issue_type !== null && { type: issue_type }),
    };
    const path = `/repos/${target}/issues`;
    return this.#issue(target, await this.#client.ask(issueReply, { method: "POST", path, body, creates: true }));
  }

  async get({ target, id }: Place): Promise<Issue | undefined> {
    const found = await this.#client.find(issueReply, { method: "GET", path: this.#path({ target, id }) });
    return found && this.#issue(target, found);
  }

  async rewrite(place: Place, { description }: Issue, document: Draft["document"], marker: string): Promise<void> {
    const body = reframed(String(description ?? ""), document, commentFrame(marker));
    if (body !== undefined) await this.#client.ask(anything, { method: "PATCH", path: this.#path(place), body: { body } });
  }

  async reopen(place: Place): Promise<void> {
    await this.#client.ask(anything, { method: "PATCH", path: this.#path(place), body: { state: "open" } });
  }

  async comment(place: Place, document: Draft["document"], marker: string): Promise<void> {
    const path = `${this.#path(place)}/comments`;
    const frame = commentFrame(marker);
    for (let page = 1; page <= searchedPages; page++) {
      const said = await this.#client.ask(comments, { method: "GET", path: `${path}?per_page=${perPage}&page=${page}` });
      if (said.some(({ body }) => body?.includes(frame.begin))) return;
      if (said.length < perPage) break;
    }
    const body = `${frame.begin}\n${markdownOf(document)}`;
    await this.#client.ask(anything, { method: "POST", path, body: { body }, creates: true });
  }

  #path = ({ target, id }: Place) => `/repos/${target}/issues/${id}`;

  #issue = (target: string, { number, state, closed_at, body }: z.output<typeof issueReply>): Issue => ({
    id: String(number),
    key: `#${number}`,
    url: `${this.#site}/${target}/issues/${number}`,
    isOpen: state !== "closed",
    closedAt: timeOf(closed_at),
    description: body,
  });
}

/** A time of a tracker in ms; null where it says none. */
export const timeOf = (text: string | null | undefined): number | null => {
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? null : at;
};
