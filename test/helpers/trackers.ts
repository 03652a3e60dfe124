import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TrackerName } from "../../src/contract/findings/trackers.ts";

/**
 * GitHub, GitLab, Jira and Linear on this machine, as their public documentation describes the issues of each. All are at one address, and their
 * paths tell them apart. Faults are given one after the other, or drawn for every request.
 */

/**
 * - an answer: nothing is done, and this is it
 * - `cut`: nothing is done, and the connection ends
 * - `lost`: it is done, and the connection ends before the answer
 */
export type Fault = { status: number; headers?: Record<string, string>; body?: object } | "cut" | "lost";

export interface TrackerIssue {
  tracker: TrackerName;
  target: string;
  /** Its number; of Linear its UUID. */
  id: string;
  title: string;
  /** The description: a string, or a document of Jira. */
  body: unknown;
  isOpen: boolean;
  closedAt: number | null;
  createdAt: number;
  labels: string[];
  assignee: string | null;
  more: Record<string, unknown>;
  comments: unknown[];
  commentIds: string[];
  deleted: boolean;
}

interface Exchange {
  method: string;
  path: string;
  query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four services
  body: any;
}

interface Answer {
  status: number;
  body?: unknown;
}

/** The index of Jira's search knows an issue only after this long (ms). */
const indexLagMs = 30_000;

/** A comment of a pull or merge request. */
export interface PullComment {
  id: number;
  body: string;
  user?: { id: number; type: string };
  author?: { id: number };
}

/** The account of the token, as GitHub and GitLab show it on comments. */
const ada = { user: { id: 7, type: "Bot" }, author: { id: 7 } };

export class Trackers {
  url = "";
  readonly issues: TrackerIssue[] = [];
  /** The comments of pull and merge requests, by `github acme/lantern 12` or `gitlab 7 12`. */
  readonly pulls = new Map<string, PullComment[]>();
  /** Whether GitHub says whose the token is: it does not for the token of a job. */
  namesAccount = true;
  /** Method and path of each request, and the credential that it came with. */
  readonly requests: { line: string; credential: string }[] = [];
  readonly faults: { on?: RegExp; fault: Fault | (() => Promise<Fault>) }[] = [];
  /** The labels of Linear: of a team, or without one of the workspace. */
  linearLabels: { id: string; name: string; team: { key: string } | null }[] = [{ id: "label", name: "playtest", team: null }];
  /** What happens to a request that `faults` says nothing about. */
  by: () => Fault | undefined = () => undefined;
  /** Credentials that are not accepted. */
  readonly revoked = new Set<string>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The next request, or the next whose method and path match, fails. A function is called when that request has arrived. */
  fail(fault: Fault | (() => Promise<Fault>), on?: RegExp): void {
    this.faults.push({ fault, ...(on && { on }) });
  }

  of = (tracker: TrackerName) => this.issues.filter((issue) => issue.tracker === tracker && !issue.deleted);

  close(issue: TrackerIssue): void {
    Object.assign(issue, { isOpen: false, closedAt: this.#now() });
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const line = `${request.method} ${pathname}`;
    const { headers } = request;
    const credential = String(headers["private-token"] ?? headers.authorization ?? "");
    this.requests.push({ line, credential });
    const text = await textOf(request);
    const at = this.faults.findIndex(({ on }) => on === undefined || on.test(line) || on.test(text));
    const given = at < 0 ? this.by() : this.faults.splice(at, 1)[0]!.fault;
    const fault = typeof given === "function" ? await given() : given;
    if (fault === "cut") return void request.socket.destroy();
    if (typeof fault === "object") return send(response, fault.status, fault.body ?? {}, fault.headers);
    const body = text === "" ? undefined : JSON.parse(text);
    const exchange = { method: request.method!, path: pathname, query: searchParams, body };
    const answer = this.revoked.has(credential) ? this.#unauthorized(pathname) : this.#answer(exchange);
    if (fault === "lost") return void request.socket.destroy();
    send(response, answer.status, answer.body);
  }

  #unauthorized = (path: string): Answer =>
    path === "/graphql"
      ? { status: 401, body: { errors: [{ message: "Authentication required", extensions: { code: "AUTHENTICATION_ERROR" } }] } }
      : { status: 401, body: { message: "Bad credentials" } };

  #answer(exchange: Exchange): Answer {
    const { path } = exchange;
    if (path.startsWith("/api/v3")) return this.#github({ ...exchange, path: path.slice(7) });
    if (path.startsWith("/api/v4")) return this.#gitlab({ ...exchange, path: path.slice(7) });
    if (path.startsWith("/rest/api/3")) return this.#jira({ ...exchange, path: path.slice(11) });
    return path === "/graphql" ? this.#linear(exchange.body) : missing;
  }

  #add(issue: Pick<TrackerIssue, "tracker" | "target" | "title" | "body"> & Partial<TrackerIssue>): TrackerIssue {
    const number = this.issues.filter(({ tracker, target }) => tracker === issue.tracker && target === issue.target).length + 1;
    const made: TrackerIssue = {
      id: issue.tracker === "jira" ? `${issue.target}-${number}` : String(number),
      isOpen: true,
      closedAt: null,
      createdAt: this.#now(),
      labels: [],
      assignee: null,
      more: {},
      comments: [],
      commentIds: [],
      deleted: false,
      ...issue,
    };
    this.issues.push(made);
    return made;
  }

  #find = (tracker: TrackerName, target: string, id: string) =>
    this.of(tracker).find((issue) => issue.target === target && issue.id === id);

  #pull(comments: PullComment[], { method, query, body }: Exchange): Answer {
    if (method === "GET") return ok(paged(comments, query));
    const made = { id: this.requests.length, body: body.body as string, ...ada };
    comments.push(made);
    return { status: 201, body: made };
  }

  #edit(id: string, { body }: { body: string }): Answer {
    const found = [...this.pulls.values()].flat().find((comment) => comment.id === Number(id));
    if (!found) return missing;
    found.body = body;
    return ok(found);
  }

  #github({ method, path, query, body }: Exchange): Answer {
    if (path === "/user" && !this.namesAccount)
      return { status: 403, body: { message: "Resource not accessible by integration" } };
    if (path === "/user") return ok({ login: "ada", id: 7 });
    const [, changed] = /\/issues\/comments\/(\d+)$/.exec(path) ?? [];
    if (changed) return this.#edit(changed, body);
    const [, target = "", id, comments] = /^\/repos\/([^/]+\/[^/]+)\/issues(?:\/(\d+)(\/comments)?)?$/.exec(path) ?? [];
    if (target === "" || target.endsWith("/missing")) return { status: 404, body: { message: "Not Found" } };
    const shown = (issue: TrackerIssue) => ({
      number: Number(issue.id),
      state: issue.isOpen ? "open" : "closed",
      closed_at: iso(issue.closedAt),
      body: issue.body,
      html_url: "https://evil.example/",
    });
    if (id === undefined && method === "GET") {
      const since = Date.parse(query.get("since")!);
      const all = this.of("github").filter((issue) => issue.target === target && issue.createdAt >= since);
      return ok(paged(all.toReversed(), query).map(shown));
    }
    if (id === undefined) {
      const { title, body: text, labels = [], assignees = [], type } = body;
      const more = { title, body: text, labels, assignee: assignees[0] ?? null, more: { type } };
      return { status: 201, body: shown(this.#add({ tracker: "github", target, ...more })) };
    }
    const pull = this.pulls.get(`github ${target} ${id}`);
    if (pull) return this.#pull(pull, { method, path, query, body });
    const issue = this.#find("github", target, id);
    if (!issue) return { status: 410, body: { message: "This issue was deleted" } };
    if (comments && method === "GET") return ok(paged(issue.comments, query).map((text) => ({ body: text })));
    if (comments) issue.comments.push(body.body);
    else if (method === "PATCH") change(issue, { body: body.body, isOpen: body.state && body.state === "open" });
    return ok(shown(issue));
  }

  #gitlab({ method, path, query, body }: Exchange): Answer {
    if (path === "/user") return ok({ username: "ada", id: 7 });
    if (path === "/users") return ok(query.get("username") === "ada" ? [{ id: 7 }] : []);
    const [, of = "", number = "", note] = /^\/projects\/([^/]+)\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(path) ?? [];
    const pull = this.pulls.get(`gitlab ${decodeURIComponent(of)} ${number}`);
    if (pull && note) return this.#edit(note, body);
    if (pull) return this.#pull(pull, { method, path, query, body });
    const [, project = "", id, notes] = /^\/projects\/([^/]+)\/issues(?:\/(\d+)(\/notes)?)?$/.exec(path) ?? [];
    const target = decodeURIComponent(project);
    if (target === "") return missing;
    const shown = (issue: TrackerIssue) => ({
      iid: Number(issue.id),
      state: issue.isOpen ? "opened" : "closed",
      closed_at: iso(issue.closedAt),
      description: issue.body,
    });
    if (id === undefined && method === "GET") {
      const since = Date.parse(query.get("created_after")!);
      const all = this.of("gitlab").filter((issue) => issue.target === target && issue.createdAt >= since);
      return ok(paged(all.toReversed(), query).map(shown));
    }
    if (id === undefined) {
      const { title, description, labels, assignee_ids = [] } = body;
      const more = { title, body: description, labels: labels.split(","), assignee: assignee_ids[0] ? "ada" : null };
      return { status: 201, body: shown(this.#add({ tracker: "gitlab", target, ...more })) };
    }
    const issue = this.#find("gitlab", target, id);
    if (!issue) return missing;
    if (notes && method === "GET") return ok(paged(issue.comments, query).map((text) => ({ body: text })));
    if (notes) issue.comments.push(body.body);
    else if (method === "PUT")
      change(issue, { body: body.description, isOpen: body.state_event && body.state_event === "reopen" });
    return ok(shown(issue));
  }

  #jira({ method, path, query, body }: Exchange): Answer {
    if (path === "/myself") return ok({ displayName: "Ada" });
    if (path === "/user/search") return ok(query.get("query") === "ada@example.com" ? [{ accountId: "account-7" }] : []);
    if (path === "/search/jql") {
      const [, target, label] = /^project = "([^"]+)" AND labels = "([^"]+)"$/.exec(body.jql)!;
      const indexed = (issue: TrackerIssue) => issue.createdAt + indexLagMs <= this.#now();
      const found = this.of("jira").filter((issue) => issue.target === target && issue.labels.includes(label!) && indexed(issue));
      return ok({ issues: found.map(({ id }) => ({ key: id })), isLast: true });
    }
    if (path === "/issue") {
      const { project, summary, description, labels, assignee, ...more } = body.fields;
      if (labels.some((label: string) => /\s/.test(label)))
        return { status: 400, body: { errorMessages: [], errors: { labels: "The label can't contain spaces." } } };
      const made = { title: summary, body: description, labels, assignee: assignee?.accountId ?? null, more };
      return { status: 201, body: { key: this.#add({ tracker: "jira", target: project.key, ...made }).id } };
    }
    const [, id = "", below] = /^\/issue\/([A-Z0-9_]+-\d+)(\/transitions|\/comment)?$/.exec(path) ?? [];
    const issue = this.#find("jira", id.replace(/-\d+$/, ""), id);
    if (!issue)
      return { status: 404, body: { errorMessages: ["Issue does not exist or you do not have permission to see it."] } };
    if (below === "/transitions" && method === "GET") return ok({ transitions });
    if (below === "/transitions") {
      change(issue, { isOpen: body.transition.id === "11" });
      return { status: 204 };
    }
    if (below === "/comment" && method === "GET") return ok({ comments: issue.comments.map((text) => ({ body: text })) });
    if (below === "/comment") issue.comments.push(body.body);
    if (method === "PUT") issue.body = body.fields.description;
    if (method !== "GET") return { status: 204 };
    const status = { statusCategory: { key: issue.isOpen ? "new" : "done" } };
    return ok({ key: id, fields: { status, resolutiondate: iso(issue.closedAt), description: issue.body } });
  }

  #labels(query: string, names: readonly string[]) {
    const [, size = "50"] = /first: (\d+)/.exec(query) ?? [];
    return this.linearLabels.filter(({ name }) => names.includes(name)).slice(0, Number(size));
  }

  #linear({ query, variables }: { query: string; variables: Record<string, never> }): Answer {
    const shown = (issue: TrackerIssue) => ({
      id: issue.id,
      identifier: issue.more.key,
      url: "https://evil.example/",
      trashed: issue.deleted || null,
      completedAt: iso(issue.closedAt),
      canceledAt: null,
      description: issue.body,
    });
    const linear = this.issues.filter(({ tracker }) => tracker === "linear");
    const data = (value: object): Answer => ok({ data: value });
    const { id, input, names } = variables as unknown as { id: string; input: Record<string, string>; names: string[] };
    const [, field] = /\{ (\w+)/.exec(query)!;
    const issue = linear.find((one) => one.id === (id ?? input?.issueId));
    switch (field) {
      case "viewer":
        return data({ viewer: { name: "Ada" } });
      case "teams":
        return data({
          teams: {
            nodes: [
              {
                id: variables.key,
                states: {
                  nodes: [
                    { id: "todo", type: "unstarted" },
                    { id: "done", type: "completed" },
                  ],
                },
              },
            ],
          },
        });
      case "issueLabels":
        return data({ issueLabels: { nodes: this.#labels(query, names) } });
      case "users":
        return data({ users: { nodes: [{ id: "user" }] } });
      case "issues":
        return data({ issues: { nodes: issue ? [shown(issue)] : [] } });
      case "comments":
        return data({ comments: { nodes: linear.some(({ commentIds }) => commentIds.includes(id)) ? [{ id }] : [] } });
      case "issueCreate": {
        if (linear.some((one) => one.id === input.id))
          return {
            status: 400,
            body: { errors: [{ message: "Entity with this id already exists", extensions: { code: "INPUT_ERROR" } }] },
          };
        const teams = this.linearLabels.filter((label) => input.labelIds!.includes(label.id)).map(({ team }) => team?.key);
        if (teams.some((team) => team !== undefined && team !== input.teamId))
          return {
            status: 400,
            body: {
              errors: [
                { message: "The label is not associated with the same team as the issue", extensions: { code: "INPUT_ERROR" } },
              ],
            },
          };
        const { title, description: body, id: given, labelIds, assigneeId, priority, teamId } = input;
        const target = teamId!;
        const more = { key: `${target}-${linear.filter((one) => one.target === target).length + 1}`, priority };
        const made = { title: title!, body, id: given!, labels: [labelIds!].flat(), assignee: assigneeId ?? null, more };
        return data({ issueCreate: { issue: shown(this.#add({ tracker: "linear", target, ...made })) } });
      }
      case "issueUpdate":
        change(issue!, { body: input.description, isOpen: input.stateId && input.stateId === "todo" });
        return data({ issueUpdate: { success: true } });
      case "commentCreate":
        issue!.comments.push(input.body);
        issue!.commentIds.push(input.id!);
        return data({ commentCreate: { success: true } });
      default:
        return { status: 400, body: { errors: [{ message: `Cannot query field ${field}` }] } };
    }
  }

  /** Lets this share of the requests fail as this tracker fails, as a random source draws. */
  randomly(random: () => number, share: number, tracker: TrackerName): void {
    const soon = () => String(Math.floor((this.#now() + 600_000) / 1000));
    const limits: Record<TrackerName, () => Fault> = {
      github: () => ({ status: 403, body: { message: "You have exceeded a secondary rate limit." } }),
      gitlab: () => ({ status: 429, headers: { "ratelimit-reset": soon() } }),
      jira: () => ({ status: 429, headers: { "retry-after": "5" } }),
      linear: () => ({ status: 400, body: { errors: [{ message: "Slow down", extensions: { code: "RATELIMITED" } }] } }),
    };
    const kinds: (() => Fault)[] = [
      () => "lost",
      () => "lost",
      () => "cut",
      () => ({ status: 502 }),
      () => ({ status: 429, headers: { "retry-after": String(1 + Math.floor(random() * 120)) } }),
      limits[tracker],
    ];
    this.by = () => (random() < share ? kinds[Math.floor(random() * kinds.length)]!() : undefined);
  }
}

const missing: Answer = { status: 404, body: { message: "404 Not found" } };
const ok = (body: unknown): Answer => ({ status: 200, body });
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

const transitions = [
  { id: "31", to: { statusCategory: { key: "done" } } },
  { id: "21", to: { statusCategory: { key: "indeterminate" } } },
  { id: "11", to: { statusCategory: { key: "new" } } },
];

const paged = <T>(all: readonly T[], query: URLSearchParams): readonly T[] => {
  const [size, page] = [Number(query.get("per_page")), Number(query.get("page"))];
  return all.slice((page - 1) * size, page * size);
};

/** Changes what is given: a description, or whether it is open. */
function change(issue: TrackerIssue, { body, isOpen }: { body?: unknown; isOpen?: boolean | string | undefined }): void {
  if (body !== undefined) issue.body = body;
  if (isOpen === true) Object.assign(issue, { isOpen, closedAt: null });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  void response
    .writeHead(status, { "Content-Type": "application/json", ...headers })
    .end(status === 204 ? undefined : JSON.stringify(body));

/** Starts them until the tests of this file end. `now` is their clock. */
export async function startTrackers(now: () => number = Date.now): Promise<Trackers> {
  const trackers = new Trackers(now);
  const server = createServer(
    (request, response) => void trackers.handle(request, response).catch(() => request.socket?.destroy()),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  trackers.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Nothing keeps the process of the tests running.
  server.unref();
  return trackers;
}
