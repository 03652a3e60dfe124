import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { openapi } from "../../src/contract/openapi/document.ts";

type Node = Record<string, unknown>;
interface Operation {
  operationId: string;
  parameters: Node[];
  security: Record<string, string[]>[];
  responses: Record<string, Node>;
  requestBody?: { required: boolean; content: Record<string, { schema: Node }> };
}

const options = { baseUrl: "http://127.0.0.1:4747", version: "1.2.3", sandbox: true };
// Through JSON, as it is served: what JSON cannot represent is dropped here too.
const served = (over: Partial<typeof options> = {}): Node =>
  JSON.parse(JSON.stringify(openapi(contract, { ...options, ...over })));
const document = served();

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const paths = document.paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function resolve(pointer: string): unknown {
  const steps = pointer.slice(2).split("/");
  return steps.reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), document);
}

function walk(node: unknown, visit: (node: Node, at: string) => void, at = "#"): void {
  if (Array.isArray(node)) for (const [index, child] of node.entries()) walk(child, visit, `${at}/${index}`);
  else if (isNode(node)) {
    visit(node, at);
    for (const [key, child] of Object.entries(node)) walk(child, visit, `${at}/${key}`);
  }
}

function collect(pick: (node: Node, at: string) => string | undefined): string[] {
  const found: string[] = [];
  walk(document, (node, at) => {
    const fault = pick(node, at);
    if (fault) found.push(fault);
  });
  return found;
}

const parametersOf = ({ parameters }: Operation) =>
  parameters.map((p) => (typeof p.$ref === "string" ? resolve(p.$ref) : p) as { name: string; in: string; required?: boolean });

describe("OpenAPI document: format", () => {
  test("has the parts that OpenAPI 3.1 requires and no unknown ones", () => {
    const known = ["openapi", "info", "servers", "paths", "webhooks", "components", "security", "tags", "externalDocs"];
    expect(Object.keys(document).filter((key) => !known.includes(key))).toEqual([]);
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: "1.2.3" });
    expect(document.servers).toEqual([{ url: "http://127.0.0.1:4747" }]);
  });

  test("references resolve", () => {
    expect(collect(({ $ref }, at) => (typeof $ref === "string" && !resolve($ref) ? `${at} → ${$ref}` : undefined))).toEqual([]);
    expect(collect(({ $ref }) => (typeof $ref === "string" ? $ref : undefined)).length).toBeGreaterThan(1000);
  });

  test("operation ids are unique", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("path templates are unique", () => {
    const templates = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, "{}"));
    expect(templates.filter((path, index) => templates.indexOf(path) !== index)).toEqual([]);
  });

  test("path parameters are declared and required, and each is in the path", () => {
    const wrong = operations.filter(({ path, operation }) => {
      const braces = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parametersOf(operation).filter((p) => p.in === "path" && p.required);
      return (
        braces.sort().join() !==
        declared
          .map(({ name }) => name)
          .sort()
          .join()
      );
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("parameters are unique, have a location, and have a schema or a content", () => {
    const faults = operations.flatMap(({ operation }) => {
      const parameters = parametersOf(operation) as (Node & { name: string; in: string })[];
      const names = parameters.map((p) => `${p.in} ${p.name.toLowerCase()}`);
      const shaped = parameters.filter((p) => ["path", "query", "header"].includes(p.in) && !p.schema !== !p.content);
      return new Set(names).size === names.length && shaped.length === names.length ? [] : [operation.operationId];
    });
    expect(faults).toEqual([]);
  });

  test("every reply has a description, every operation has a success reply, GET has no body", () => {
    const faults = operations.filter(({ method, operation }) => {
      const replies = Object.entries(operation.responses).map(
        ([status, reply]) => [status, typeof reply.$ref === "string" ? (resolve(reply.$ref) as Node) : reply] as const,
      );
      const sound = replies.every(([status, reply]) => /^[1-5]\d\d$/.test(status) && typeof reply.description === "string");
      return !sound || !replies.some(([status]) => status.startsWith("2")) || (method === "get" && operation.requestBody);
    });
    expect(faults.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  test("every schema is JSON Schema 2020-12", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let checked = 0;
    const faults = collect((node, at) => {
      if (!isNode(node.schema)) return;
      checked++;
      return ajv.validateSchema(node.schema) ? undefined : `${at}: ${ajv.errorsText()}`;
    });
    const named = Object.entries((document.components as Node).schemas as Node);
    const broken = named.filter(([, schema]) => !ajv.validateSchema(schema as Node)).map(([name]) => name);
    expect([...faults, ...broken]).toEqual([]);
    expect(checked).toBeGreaterThan(300);
  });

  test("component names have no forbidden characters", () => {
    const names = Object.values(document.components as Node).flatMap((part) => Object.keys(part as Node));
    expect(names.filter((name) => !/^[\w.-]+$/.test(name))).toEqual([]);
  });
});

describe("OpenAPI document: content", () => {
  const endpoints = Object.entries<Endpoint>(contract);

  test("every endpoint and every alias of its path is there", () => {
    const expected = endpoints.flatMap(([, e]) => [e.path, ...(e.also ?? [])].map((path) => `${e.method.toLowerCase()} ${path}`));
    const found = operations.map(({ method, path }) => `${method} ${path.replace("/api/v1", "").replace(/\{(\w+)\}/g, ":$1")}`);
    expect(found.sort()).toEqual(expected.sort());
  });

  test("sandbox routes are absent without the sandbox", () => {
    const shown = Object.keys(served({ sandbox: false }).paths as Node);
    expect(shown.filter((path) => path.includes("/sandbox/"))).toEqual([]);
    expect(shown.length).toBeGreaterThan(80);
  });

  const at = (path: string, method: string) => paths[`/api/v1${path}`]?.[method] as Operation & Node;

  test("security requirements: none, optional, any key, several scopes, alternative scopes", () => {
    expect({
      none: at("/auth/register/api-key", "post").security,
      optional: at("/auth/api-keys", "post").security,
      any: at("/info/devices", "get").security,
      both: at("/webhooks", "get").security,
      either: at("/playtests/slots/{id}/unblock", "post").security,
    }).toEqual({
      none: [],
      optional: [{}, { apiKey: [] }],
      any: [{ apiKey: [] }],
      both: [{ apiKey: ["webhooks", "game_owner"] }],
      either: [{ apiKey: ["game_owner"] }, { apiKey: ["approve"] }],
    });
  });

  test("every tag is described, and the webhook says that it takes no API key", () => {
    const { tags, webhooks } = document as unknown as {
      tags: { name: string; description?: string }[];
      webhooks: { event: { post: { security?: unknown } } };
    };
    expect(tags.filter(({ description = "" }) => description === "")).toEqual([]);
    expect(webhooks.event.post.security).toEqual([]);
  });

  test("createPlaytest has payment headers, an idempotency key, and a 402 reply with payment instructions", () => {
    const order = at("/games/{gameId}/playtests", "post");
    expect(parametersOf(order).map(({ name }) => name)).toEqual([
      "gameId",
      "X-Payment-Method",
      "X-Payment-Chain",
      "X-Payment-Currency",
      "X-Payment-From",
      "X-Payment",
      "PAYMENT-SIGNATURE",
      "X-Max-Cost-Cents",
      "Idempotency-Key",
    ]);
    expect(parametersOf(order)).toMatchObject([
      { in: "path" },
      { in: "header", schema: { type: "string", enum: ["x402", "hours", "credit", "card"] } },
      { in: "header", schema: { enum: ["base", "ethereum", "solana"], default: "base" } },
      { in: "header", schema: { enum: ["USDC", "ETH", "SOL"], default: "USDC" } },
      { in: "header", schema: { type: "string", maxLength: 64 } },
      { in: "header", content: { "application/json": { schema: { $ref: "#/components/schemas/PaymentProof" } } } },
      { in: "header", schema: { type: "string" } },
      { in: "header", schema: { type: "integer", minimum: 0 } },
      { in: "header", schema: { pattern: "^[\\x20-\\x7e]{1,255}$" } },
    ]);
    expect(Object.keys(order.responses).join(" ")).toBe("200 201 202 400 401 402 403 404 408 409 413 415 422 429 500 503");
    const refused = resolve(order.responses[402]?.$ref as string) as { headers: Node };
    expect(Object.keys(refused.headers)).toEqual(
      expect.arrayContaining(["X-Payment", "PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "Retry-After"]),
    );
    expect(order.requestBody?.required).toBe(false);
    expect(order["x-risk"]).toBe("spend");
    expect(order["x-extension"]).toBeUndefined();
  });

  test("a header that only asks for a media type is no parameter", () => {
    const events = at("/events", "get");
    expect(parametersOf(events).map(({ name }) => name)).toEqual(["limit", "cursor", "Last-Event-ID"]);
    expect(Object.keys(events.responses[200]?.content as Node)).toEqual(["application/json", "text/event-stream"]);
  });

  test("extensions and aliases are marked", () => {
    expect(at("/playtests/quote", "post")).toMatchObject({ "x-extension": true, "x-risk": "read", tags: ["playtests"] });
    expect(at("/slots/{id}/accept", "post")).toMatchObject({ operationId: "acceptSlotAlias", "x-alias-of": "acceptSlot" });
  });

  test("schemas accept the same replies as the contract", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "doc");
    const pointer = "/paths/~1api~1v1~1billing~1balance/get/responses/200/content/application~1json/schema";
    const valid = ajv.compile({ $ref: `doc#${pointer}` });
    const meta = { requestId: "req_0123456789abcdefghij", timestamp: "2026-01-02T03:04:05.678Z" };
    const data = { balanceCents: 2000, currency: "USD", playtestMinutes: 0 };
    expect([
      valid({ data, meta }),
      valid({ data: { ...data, added: "later" }, meta }),
      valid({ data: { ...data, balanceCents: 0.5 }, meta }),
      valid({ data: { currency: "USD", playtestMinutes: 0 }, meta }),
      valid({ data }),
    ]).toEqual([true, true, false, false, false]);
  });

  test("request bodies allow no unknown fields", () => {
    const open = operations.filter(({ operation }) => {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      return schema && schema.additionalProperties !== false;
    });
    expect(open.map(({ operation }) => operation.operationId)).toEqual([]);
  });
});
