import type { ErrorDetail } from "../contract/errors.ts";
import type { Operation } from "../contract/index.ts";
import type { Shape } from "../contract/openapi/shapes.ts";
import type { StaticOperation } from "../contract/static.ts";
import { CliError, exitCodeOfReply, exitCodes, hintFor, stillPending } from "../errors.ts";
import { NetworkError } from "./transport.ts";
import type { HttpReply } from "./types.ts";

/** Deeper than any reply of the API. Printing a value takes a part of the stack for each level, which a hostile server could exhaust. */
const maxDepth = 200;
const [open, close, quote, backslash] = [...'[]"\\'].map((character) => character.charCodeAt(0));
const [openObject, closeObject] = [..."{}"].map((character) => character.charCodeAt(0));

function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inText && byte === backslash) i++;
    else if (byte === quote) inText = !inText;
    else if (inText) continue;
    else if (byte === open || byte === openObject) depth++;
    else if (byte === close || byte === closeObject) depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** The JSON value of a body; undefined if it is not JSON, or too deep. */
export const parseJson = (body: Buffer): unknown => {
  if (isTooDeep(body)) return undefined;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface ReadApiError {
  code: string;
  message: string;
  details: ErrorDetail[] | undefined;
  payment: Record<string, unknown> | undefined;
  budget: Record<string, unknown> | undefined;
  requestId: string | undefined;
}

const isText = (value: unknown): value is string => typeof value === "string";

/** A crypto payment that can be shown: without these, nobody could pay it. */
const isPayable = (payment: unknown): payment is Record<string, unknown> =>
  isRecord(payment) && ["chain", "currency", "cryptoAmount", "receiver"].every((name) => isText(payment[name]));

/** The error of the API in a body. Undefined if it is none; a part of another type is left out. */
export function readApiError(body: unknown): ReadApiError | undefined {
  if (!isRecord(body) || !isRecord(body.error) || !isText(body.error.message)) return undefined;
  const { code, message, details, payment, budget } = body.error;
  const valid = (Array.isArray(details) ? details : []).filter(
    (one): one is ErrorDetail => isRecord(one) && isText(one.field) && isText(one.message),
  );
  const requestId = isRecord(body.meta) && isText(body.meta.requestId) ? body.meta.requestId : undefined;
  return {
    code: isText(code) ? code : "ERROR",
    message,
    details: valid.length > 0 ? valid : undefined,
    payment: isPayable(payment) ? payment : undefined,
    budget: isRecord(budget) ? budget : undefined,
    requestId,
  };
}

/** The error for a response that does not come from the API. */
export function notTheApi(reply: HttpReply, url: URL): NetworkError {
  const { location, "content-type": type } = reply.headers;
  if (reply.status >= 300 && reply.status < 400)
    return new NetworkError(
      `${url.origin} redirects to ${location ?? "another address"}. Redirects are not followed, to keep the API key on this host.`,
      false,
      undefined,
      "If that is the right address, pass it with --base-url.",
    );
  const json = reply.body.length === 0 ? "nothing" : "incomplete or other JSON";
  const content = type?.includes("json") ? json : (type ?? "no content type");
  return new NetworkError(
    `${url.origin} returned ${reply.status} with ${content} instead of JSON from the API.`,
    true,
    undefined,
    "Check the base URL with `playtest config explain`, and any proxy in between.",
  );
}

/** Where a value is not as the shape says: the path of the field. Undefined if it is. Null counts as missing. */
function misfit(value: unknown, shape: Shape, definitions: Definitions, path: string): string | undefined {
  if (value === null || value === undefined || shape === "any") return undefined;
  if (shape === "integer") return Number.isSafeInteger(value) ? undefined : path;
  if (typeof shape === "string" && !shape.startsWith("#")) return typeof value === shape ? undefined : path;
  if (typeof shape === "string") return misfit(value, definitions[shape.slice(1)] ?? "any", definitions, path);
  if ("any" in shape) return shape.any.some((one) => !misfit(value, one, definitions, path)) ? undefined : path;
  if ("list" in shape) return Array.isArray(value) ? misfitInList(value, shape.list, definitions, path) : path;
  if (!isRecord(value)) return path;
  const missing = shape.needs.find((name) => value[name] === null || value[name] === undefined);
  if (missing !== undefined) return join(path, missing);
  for (const name of Object.keys(value)) {
    const wrong = Object.hasOwn(shape.fields, name) && misfit(value[name], shape.fields[name]!, definitions, join(path, name));
    if (wrong) return wrong;
  }
  return undefined;
}

const join = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function misfitInList(list: readonly unknown[], shape: Shape, definitions: Definitions, path: string): string | undefined {
  for (const [index, value] of list.entries()) {
    const wrong = value === null ? `${path}.${index}` : misfit(value, shape, definitions, `${path}.${index}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

type Definitions = typeof import("../contract/openapi/shapes.ts").shapeDefinitions;

/** What replies have to contain. Loaded while a command waits for its first reply, which takes as long in most cases. */
export const loadShapes = () => import("../contract/openapi/shapes.ts");

/** An object may stand alone instead of under its name. */
const underItsName = (data: unknown, holds: StaticOperation["payload"]): unknown =>
  holds && !holds.list && isRecord(data) && data[holds.name] === undefined && typeof data.id === "string"
    ? { ...data, [holds.name]: data }
    : data;

/**
 * The contents of a successful response, with what commands need of them: without it, they would fail after the fact or print nothing.
 * Throws a NetworkError.
 */
export async function requireData(reply: HttpReply, operation: Operation, holds: StaticOperation["payload"], url: URL) {
  const parsed = parseJson(reply.body);
  if (!isRecord(parsed) || !isRecord(parsed.data)) throw notTheApi(reply, url);
  const data = underItsName(parsed.data, holds);
  const { shapes, shapeDefinitions } = await loadShapes();
  const wrong = misfit(data, shapes[operation], shapeDefinitions, "");
  if (wrong === undefined) return { data, meta: isRecord(parsed.meta) ? parsed.meta : {} };
  const missing = wrong !== holds?.name ? "a valid" : holds.list ? "the list" : "the object";
  throw new NetworkError(
    `${url.origin} returned ${reply.status} without ${missing} ${JSON.stringify(wrong)}.`,
    true,
    undefined,
    "Check the base URL with `playtest config explain`. If it is right, report this to the operator of the server.",
  );
}

/** The error for a failed response, with its exit code, invalid fields and next step. */
export function replyError(reply: HttpReply, url: URL): CliError {
  const problem = readApiError(parseJson(reply.body));
  if (problem === undefined) {
    const error = notTheApi(reply, url);
    if (reply.status !== 404 && reply.status !== 401) return error;
    return new CliError("NOT_FOUND", exitCodeOfReply(reply.status, undefined), error.message, {
      ...error.extra,
      httpStatus: reply.status,
    });
  }
  const { code, message, details, payment, budget, requestId } = problem;
  if (reply.status === 402 && reply.headers["retry-after"] !== undefined)
    return stillPending(message, "Repeat the same command later. It pays only once, however often you repeat it.");
  return new CliError(code, exitCodeOfReply(reply.status, code), message, {
    hint: hintFor(code, message, url.pathname),
    details,
    payment,
    paymentRequired: reply.headers["payment-required"],
    budget,
    httpStatus: reply.status,
    requestId,
    retryable: reply.status === 429 || reply.status >= 500,
  });
}

/** The error for an order that waits for the approval of a person. Undefined for another reply. */
export function waitsForApproval(reply: HttpReply): CliError | undefined {
  const parsed = reply.status === 202 ? parseJson(reply.body) : undefined;
  const approval = isRecord(parsed) && isRecord(parsed.data) ? parsed.data.approval : undefined;
  if (!isRecord(approval) || typeof approval.id !== "string") return undefined;
  return new CliError(
    "NEEDS_APPROVAL",
    exitCodes.pending,
    "The order waits for the approval of the account's owner. Nothing was ordered or charged yet.",
    {
      hint: `The owner decides in Studio, or with \`playtest approvals approve ${approval.id}\` and another API key. To see what became of it: \`playtest approvals show ${approval.id}\`.`,
      httpStatus: reply.status,
      approval,
    },
  );
}

/** Adds how long the server asked to wait, where that is longer than allowed, or how long it was waited for in vain. */
export function withRequestedWait(error: CliError, { requestedWait, waited }: HttpReply): CliError {
  const hint = waitHint(requestedWait, waited);
  return hint === undefined ? error : new CliError(error.code, error.exitCode, error.message, { ...error.extra, hint });
}

/** What to do about a server that asks to wait: for longer than allowed, or again and again. In milliseconds. */
export function waitHint(requestedWait: number | undefined, waited: number | undefined): string | undefined {
  const [asked, spent] = [requestedWait, waited].map((ms) => (ms === undefined ? undefined : Math.ceil(ms / 1000)));
  if (asked !== undefined) return `The server asked to wait ${asked} s. To wait that long: --max-wait ${asked}s.`;
  // Nothing was waited where --max-wait is 0.
  if (!spent) return undefined;
  return `The server asked to try again later for ${spent} s. To wait longer: --max-wait ${2 * spent}s.`;
}
