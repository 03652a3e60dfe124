import type { IncomingMessage, ServerResponse } from "node:http";
import { pages, studio } from "../../../src/contract/pages/addresses.ts";
import type { Deps } from "../../app/deps.ts";
import { readJson } from "../../http/body.ts";
import type { Origin } from "../../http/call-operation.ts";
import { apiErrorOf, failureText } from "../../http/reply.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import type { Target } from "../../http/target.ts";
import { notFound } from "../../lib/api-error.ts";
import { register } from "../../oauth/clients.ts";
import { beginConnection, type Parameters } from "../../oauth/connections.ts";
import { OAuthError } from "../../oauth/error.ts";
import { exchangeTokens, revokeToken } from "../../oauth/tokens.ts";
import { html, type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import type { Page, ReadForm } from "../types.ts";

interface Parts {
  deps: Deps;
  readForm: ReadForm;
  limits: PageLimits;
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  origin: Origin;
}

type Step = (parts: Parts, asked: Asked) => Promise<void>;

const steps: Record<string, { method: "GET" | "POST"; run: Step }> = {
  [pages.authorize()]: { method: "GET", run: authorize },
  [pages.token()]: { method: "POST", run: token },
  [pages.registerClient()]: { method: "POST", run: registerClient },
  [pages.revokeToken()]: { method: "POST", run: revoke },
};

/** `/oauth`: what clients of `/mcp` are connected to an account with (OAuth 2.1). The owner decides on a page of Studio. */
export const oauth =
  (parts: Parts): Page =>
  async (request, response, url, origin) => {
    const step = steps[url.pathname];
    const asked = { request, response, url, origin };
    const run = async () => {
      parts.limits.perAddress(request, "keyless");
      if (!step) throw notFound();
      if (request.method !== step.method) throw methodNotAllowed([step.method], "page");
      await step.run(parts, asked);
    };
    if (step?.method !== "POST") return run();
    try {
      await run();
    } catch (error) {
      sendProblem(parts.deps, asked, error);
    }
  };

/** Nothing leads to the client before its owner decided: whoever registers chooses where it leads. */
async function authorize({ deps }: Parts, { response, url }: Asked): Promise<void> {
  try {
    redirect(response, studio.connect(await beginConnection(deps, single(url.searchParams))));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    sendPage(response, 400, refused(error));
  }
}

const refused = ({ code, message }: OAuthError): PageContent => ({
  title: "This program cannot be connected",
  body: html`<p>Nothing was connected. The request of the program is not one that this server takes: tell its developer.</p>
<p><code>${code}</code>: ${message}</p>
<p><a href="${pages.topic("mcp")}">How programs are connected</a></p>`,
});

async function token({ deps, readForm }: Parts, { request, response, origin }: Asked): Promise<void> {
  sendJson(response, 200, await exchangeTokens(deps, await readForm(request), origin));
}

async function registerClient({ deps, limits }: Parts, { request, response }: Asked): Promise<void> {
  limits.perAddress(request, "register");
  const body = await readJson(request, { bytes: 16 * 1024, withinMs: deps.config.http.requestTimeoutMs });
  sendJson(response, 201, register(deps, body));
}

async function revoke({ deps, readForm }: Parts, { request, response, origin }: Asked): Promise<void> {
  await revokeToken(deps, await readForm(request), origin);
  sendJson(response, 200, {});
}

/** Parameters of a request, each given once (RFC 6749, section 3.1). */
function single(query: URLSearchParams): Parameters {
  const names = [...query.keys()];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new OAuthError("invalid_request", `${twice.slice(0, 50)} is given more than once.`);
  return Object.fromEntries(query);
}

function sendProblem({ log, dataDir }: Deps, { response, origin }: Asked, error: unknown): void {
  if (error instanceof OAuthError) {
    const status = error.code === "invalid_client" ? 401 : 400;
    sendJson(response, status, { error: error.code, error_description: error.message });
    return;
  }
  const problem = apiErrorOf(error);
  if (problem.status >= 500 && error !== problem)
    log.error({ err: error, requestId: origin.requestId }, failureText("page", error, dataDir));
  const code = problem.status === 429 ? "temporarily_unavailable" : problem.status < 500 ? "invalid_request" : "server_error";
  sendJson(response, problem.status, { error: code, error_description: problem.message }, problem.headers);
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(text);
}
