import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Deps } from "../app/deps.ts";
import { readJson } from "../http/body.ts";
import type { Principal } from "../http/call.ts";
import type { CallAs, Origin } from "../http/call-operation.ts";
import { createIdentify } from "../http/identify.ts";
import { apiErrorOf, failureText, type Headers, setHeaders } from "../http/reply.ts";
import { methodNotAllowed } from "../http/routes.ts";
import type { Target } from "../http/target.ts";
import { type ApiError, badRequest, notFound } from "../lib/api-error.ts";
import { authenticateClient } from "../oauth/tokens.ts";
import { readCaptions } from "../web/adapters/media.ts";
import type { Page } from "../web/types.ts";
import { challenged, requireOwner, requireOwnHost } from "./gate.ts";
import type { Host } from "./host.ts";
import { problemOf } from "./problem.ts";
import type { AnswerMessage } from "./protocol/http.ts";
import { allowedBy, settingsFor } from "./settings.ts";
import { createWaits } from "./waits.ts";

const owner = { access: ["game_owner"] } as const;

/** The most bytes of a message. */
const maxBytes = 256 * 1024;

/**
 * `POST /mcp`: the Model Context Protocol for an API key or a connected client. The tools call operations as its account in this process,
 * by the same rules as over HTTP.
 */
export function mcpPage(deps: Deps, callAs: CallAs, answers = loadAnswers): Page {
  const { baseUrl, http, version } = deps.config;
  const identify = createIdentify(deps, authenticateClient);
  const wait = createWaits(deps);
  const stateKey = Buffer.from(deps.secrets.mac("mcp state", "key"), "base64url");

  const hostOf = (principal: Principal, url: Target, origin: Origin): Host => ({
    ...settingsFor(principal, url.searchParams),
    call: callAs(principal, origin),
    version,
    baseUrl,
    wait: (ms, signal) => wait(principal.userId, ms, signal),
    readCaptions: (slotId) => readCaptions(deps, principal.userId, slotId),
    help: async () => (await import("../web/docs/index.ts")).helpOf(baseUrl, deps.config.payments.enabled),
    problemOf,
    report: (err) => deps.log.error({ err, requestId: origin.requestId }, failureText("tool", err, deps.dataDir)),
    stateKey,
    callerId: principal.keyId,
  });

  async function serve(request: IncomingMessage, response: ServerResponse, url: Target, origin: Origin): Promise<void> {
    if (url.pathname !== "/mcp") throw notFound();
    requireOwnHost(request.headers, baseUrl);
    if (request.method !== "POST") throw methodNotAllowed(["POST"], "page");
    const headers: Headers = {};
    const principal = await identify(request, owner, headers).catch((error: unknown) => {
      throw challenged(error, request.headers, { baseUrl, allowed: allowedBy(url.searchParams) });
    });
    setHeaders(response, headers);
    if (!principal) throw new Error("/mcp was called without a principal");
    origin.onPrincipal?.(principal);
    requireOwner(principal, baseUrl);
    const message = await readJson(request, { bytes: maxBytes, withinMs: http.requestTimeoutMs });
    // Each would be one request for the rate limit.
    if (Array.isArray(message)) throw badRequest("Send one message in each request. Nothing was done.");
    if (message === undefined) throw badRequest("Send a message as JSON. Nothing was done.");
    const ended = AbortSignal.any([origin.client.signal, deps.retiring]);
    const answerMessage = await answers();
    await send(response, await answerMessage(hostOf(principal, url, origin), asRequest(request, origin), message, ended));
  }

  return async (request, response, url, origin) => {
    try {
      await serve(request, response, url, origin);
    } catch (error) {
      const problem = apiErrorOf(error);
      if (error !== problem && problem.status >= 500)
        deps.log.error({ err: error, requestId: origin.requestId }, failureText("message", error, deps.dataDir));
      if (response.headersSent) return void response.destroy();
      refuse(response, problem);
    }
  };
}

const loadAnswers = async (): Promise<AnswerMessage> => (await import("./protocol/http.ts")).answerMessage;

const passedOn = /^(accept|content-type|last-event-id|mcp-[\w-]+)$/;

/** The request as the protocol's library takes it. Its body is handed over parsed, and its key is not handed over. */
function asRequest({ headers }: IncomingMessage, { client }: Origin): Request {
  const kept = Object.entries(headers).filter(([name]) => passedOn.test(name)) as [string, string][];
  return new Request("http://localhost/mcp", { method: "POST", headers: kept, signal: client.signal });
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) return void response.end();
  try {
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  } catch (error) {
    // A client that has enough closes the connection.
    if (!response.destroyed) throw error;
  }
}

/** A refusal before the protocol began, as an error of JSON-RPC without an id (section 5.1). */
function refuse(response: ServerResponse, { status, code, message, headers }: ApiError): void {
  const rpc = status === 400 || status === 422 ? -32_600 : -32_000;
  const text = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: rpc, message, data: { code } } });
  response.writeHead(status, { "Content-Type": "application/json", ...headers, "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}
