import type { HttpReply } from "../../api/types.ts";
import { isLoopback } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { isTarget } from "../../contract/findings/trackers.ts";
import { CliError, DryRun, exitCodes, failure, usage } from "../../errors.ts";
import { oneLine } from "../../io/text.ts";

/** Comments on a pull request of GitHub or a merge request of GitLab, with the token and the address that the CI gives its jobs. */

/** A pull request or merge request. */
export interface Target {
  host: "github" | "gitlab";
  /** `owner/repository`, or the path or number of a project. */
  project: string;
  number: number;
}

const forms = "github:OWNER/REPOSITORY#NUMBER or gitlab:GROUP/PROJECT!NUMBER";

/** The target that `--to` names, else that of the CI job. */
export function targetOf(ctx: Context, to: string | undefined): Target {
  if (to !== undefined) {
    const [, github, pull] = /^github:([\w.-]+\/[\w.-]+)#(\d{1,9})$/.exec(to) ?? [];
    if (github !== undefined && isTarget("github", github)) return { host: "github", project: github, number: Number(pull) };
    const [, gitlab, merge] = /^gitlab:([\w.-]+(?:\/[\w.-]+)+)!(\d{1,9})$/.exec(to) ?? [];
    if (gitlab !== undefined && isTarget("gitlab", gitlab)) return { host: "gitlab", project: gitlab, number: Number(merge) };
    throw usage(`--to: ${JSON.stringify(to)} is not ${forms}.`);
  }
  const { GITHUB_REPOSITORY, GITHUB_REF, CI_PROJECT_ID, CI_MERGE_REQUEST_IID } = ctx.io.env;
  const [, pull] = /^refs\/pull\/(\d{1,9})\//.exec(GITHUB_REF ?? "") ?? [];
  if (GITHUB_REPOSITORY && pull) return { host: "github", project: GITHUB_REPOSITORY, number: Number(pull) };
  if (CI_PROJECT_ID && /^\d{1,9}$/.test(CI_MERGE_REQUEST_IID ?? ""))
    return { host: "gitlab", project: CI_PROJECT_ID, number: Number(CI_MERGE_REQUEST_IID) };
  throw usage("This is no CI job of a pull request or merge request. Nothing was sent.", `Pass --to ${forms}.`);
}

interface Author {
  id: number;
  /** GitHub says whether it is a person or an app. */
  type?: string;
}

interface Comment {
  id: number;
  body: string;
  /** As GitHub and GitLab name it. */
  user?: Author | null;
  author?: Author | null;
}

interface Kind {
  title: string;
  /** Environment variables with the address of the API and the token, and the usual address. */
  variables: { api: string; tokens: readonly string[] };
  usualApi: string;
  headers(token: string): Record<string, string>;
  /** Below the address of the API. */
  comments(target: Target): string;
  comment(target: Target, id: number): string;
  update: "PATCH" | "PUT";
}

const kinds: Readonly<Record<Target["host"], Kind>> = {
  github: {
    title: "GitHub",
    variables: { api: "GITHUB_API_URL", tokens: ["GITHUB_TOKEN", "GH_TOKEN"] },
    usualApi: "https://api.github.com",
    headers: (token) => ({ authorization: `Bearer ${token}`, "x-github-api-version": "2022-11-28" }),
    comments: ({ project, number }) => `/repos/${project}/issues/${number}/comments`,
    comment: ({ project }, id) => `/repos/${project}/issues/comments/${id}`,
    update: "PATCH",
  },
  gitlab: {
    title: "GitLab",
    variables: { api: "CI_API_V4_URL", tokens: ["GITLAB_TOKEN"] },
    usualApi: "https://gitlab.com/api/v4",
    headers: (token) => ({ authorization: `Bearer ${token}` }),
    comments: ({ project, number }) => `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`,
    comment: ({ project, number }, id) => `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes/${id}`,
    update: "PUT",
  },
};

const perPage = 100;
const mostPages = 50;
const attempts = 4;
/** The longest (s) that a limit of the host is waited for. */
const longestWait = 300;

function apiOf(ctx: Context, { title, variables, usualApi }: Kind): string {
  const text = ctx.io.env[variables.api] || usualApi;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))))
    return text.replace(/\/+$/, "");
  throw usage(`${variables.api}: ${JSON.stringify(text)} is not an https address of ${title}. Nothing was sent.`);
}

function tokenOf(ctx: Context, { title, variables: { tokens } }: Kind): string {
  const token = tokens.map((name) => ctx.io.env[name]).find((value) => value !== undefined && value !== "");
  if (token !== undefined) return token;
  throw usage(`A token of ${title} is required. Nothing was sent.`, `Set ${tokens.join(" or ")} to one that may write comments.`);
}

class Lost extends Error {
  /** How long the host asked to wait (ms). */
  readonly waitMs: number;
  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** The comments of one pull request or merge request. */
class Comments {
  readonly #ctx: Context;
  readonly #target: Target;
  readonly #kind: Kind;
  readonly #api: string;
  readonly #headers: Record<string, string>;
  #isOwn: ((comment: Comment) => boolean) | undefined;

  constructor(ctx: Context, target: Target) {
    this.#ctx = ctx;
    this.#target = target;
    this.#kind = kinds[target.host];
    this.#api = apiOf(ctx, this.#kind);
    const common = { accept: "application/json", "content-type": "application/json", "user-agent": "playtest" };
    this.#headers = { ...common, ...this.#kind.headers(tokenOf(ctx, this.#kind)) };
  }

  /** The first comment of the token's own account with this marker at its beginning: anybody can copy a marker. */
  async find(marker: string): Promise<Comment | undefined> {
    this.#isOwn ??= await this.#ownership();
    for (let page = 1; page <= mostPages; page++) {
      const path = `${this.#kind.comments(this.#target)}?per_page=${perPage}&page=${page}`;
      const found = await this.#read(path);
      if (!Array.isArray(found)) throw this.#unexpected();
      const comments = (found as (Comment | null)[]).filter((one) => typeof one?.body === "string") as Comment[];
      const ours = comments.find((one) => one.body.startsWith(marker) && this.#isOwn?.(one));
      if (ours) return ours;
      if (found.length < perPage) return undefined;
    }
    return undefined;
  }

  /** What tells the comments of the token's account. GitHub does not say whose the token of a job is: it is that of an app. */
  async #ownership(): Promise<(comment: Comment) => boolean> {
    let account: Author | null;
    try {
      account = (await this.#read("/user")) as Author | null;
    } catch (error) {
      if (!(error instanceof CliError) || this.#target.host !== "github") throw error;
      return ({ user }) => user?.type === "Bot";
    }
    const id = account?.id;
    if (typeof id !== "number") throw this.#unexpected();
    return ({ user, author }) => (user ?? author)?.id === id;
  }

  async #read(path: string): Promise<unknown> {
    const { body } = await this.#send("GET", path);
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      throw this.#unexpected();
    }
  }

  #unexpected = () =>
    failure(
      `${this.#kind.title} answered with something else than its documentation says. The comment was not changed.`,
      `Check the address in ${this.#kind.variables.api}.`,
    );

  create = (body: string) => this.#change("POST", this.#kind.comments(this.#target), body);
  replace = (id: number, body: string) => this.#change(this.#kind.update, this.#kind.comment(this.#target, id), body);

  async #change(method: string, path: string, text: string): Promise<void> {
    if (this.#ctx.flags.dryRun) throw new DryRun([{ method, path: `${this.#api}${path}`, headers: {}, body: { body: text } }]);
    await this.#send(method, path, JSON.stringify({ body: text }));
  }

  /** Sends a request once. Throws `Lost` when it is not known what was done, or when the host asked to wait. */
  async #send(method: string, path: string, body?: string): Promise<HttpReply> {
    const { signal } = this.#ctx;
    const url = new URL(`${this.#api}${path}`);
    let reply: HttpReply;
    try {
      reply = await this.#ctx.send({
        method,
        url,
        headers: this.#headers,
        signal,
        isInstance: false,
        ...(body && { body }),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CliError) throw new Lost(error.message);
      throw error;
    }
    if (reply.status < 300) return reply;
    const { title } = this.#kind;
    const said = `${title} answered with status ${reply.status}${messageOf(reply)}.`;
    const limited = reply.status === 429 || (reply.status === 403 && /rate limit/i.test(reply.body.toString("utf8")));
    if (!limited && reply.status < 500)
      throw failure(`${said} The comment was not changed.`, `Check that the token may comment there.`);
    const seconds = Math.min(longestWait, Number(reply.headers["retry-after"]) || (limited ? 60 : 1));
    throw new Lost(said, seconds * 1000);
  }
}

function messageOf({ body }: HttpReply): string {
  try {
    const { message } = JSON.parse(body.toString("utf8")) as { message?: unknown };
    return typeof message === "string" ? `: ${oneLine(message).slice(0, 200)}` : "";
  } catch {
    return "";
  }
}

/** The most characters of a comment: GitHub takes 65,536. */
const longestComment = 60_000;

/** As many whole lines as fit. */
function fitting(text: string): string {
  if (text.length <= longestComment) return text;
  return `${text.slice(0, text.lastIndexOf("\n", longestComment))}\n\nThere is more in the summary of the job.`;
}

/**
 * Puts a text into the comment that begins with this marker, or into a new one. Before each try it looks for the comment, so that a lost reply
 * leaves no second one.
 */
export async function keepComment(
  ctx: Context,
  target: Target,
  marker: string,
  text: string,
): Promise<"created" | "updated" | "unchanged"> {
  const comments = new Comments(ctx, target);
  const body = `${marker}\n${fitting(text)}`;
  let tried = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const known = await comments.find(marker);
      if (known?.body === body) return tried ? "updated" : "unchanged";
      tried = true;
      if (!known) {
        await comments.create(body);
        return "created";
      }
      await comments.replace(known.id, body);
      return "updated";
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      if (attempt === attempts)
        throw new CliError(
          "UNREACHABLE",
          exitCodes.unreachable,
          `${error.message} It is not known whether the comment was changed.`,
          {
            hint: "Run the command again: it changes the same comment.",
            retryable: true,
          },
        );
      await ctx.sleep(error.waitMs + 1000 * 2 ** attempt, ctx.signal);
    }
  }
}
