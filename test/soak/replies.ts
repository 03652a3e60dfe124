import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Reply } from "../helpers/server.ts";

type Node = Record<string, unknown>;

interface Documented {
  operationId: string;
  responses: Record<string, Node>;
}

/** What a reply to one operation is compared with. */
interface Route {
  name: string;
  method: string;
  pattern: RegExp;
  validate(status: number): ((body: unknown) => string | undefined) | undefined;
  mediaTypes(status: number): readonly string[];
}

export interface Seen {
  /** The operation; undefined for a path that the document does not have. */
  operation: string | undefined;
  /** What is wrong with the reply. */
  fault: string | undefined;
}

const checks = new Map<string, ReplyCheck>();

/** The check of a document, which is compiled once for all servers that serve the same, but for their own address. */
export function replyCheck({ servers: _, ...document }: Node): ReplyCheck {
  const text = JSON.stringify(document);
  const check = checks.get(text) ?? new ReplyCheck(document);
  checks.set(text, check);
  return check;
}

/** Compares replies with the OpenAPI document that the server itself serves. */
export class ReplyCheck {
  /** Without optimizing what it compiles, which takes longer than it saves. */
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, code: { optimize: false } });
  readonly #document: Node;
  readonly #routes: readonly Route[];
  readonly #problem: ValidateFunction;

  constructor(document: Node) {
    this.#document = document;
    this.#ajv.addSchema(document, "document");
    this.#problem = this.#ajv.compile({ $ref: "document#/components/schemas/Problem" });
    const paths = document.paths as Record<string, Record<string, Documented>>;
    this.#routes = Object.entries(paths)
      .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => this.#route(path, method, operation)))
      // Fixed names before parameters, as the server's router does.
      .sort((a, b) => a.pattern.source.split("[^/]+").length - b.pattern.source.split("[^/]+").length);
  }

  /** `path` is below `/api/v1` and may have a query. */
  see(method: string, path: string, reply: Reply): Seen {
    const [name = ""] = `/api/v1${path}`.split("?");
    const route = this.#routes.find((one) => one.method === method && one.pattern.test(name));
    if (reply.status >= 500) return { operation: route?.name, fault: reply.text.slice(0, 300) };
    return { operation: route?.name, fault: route ? this.#faultIn(route, reply) : this.#problemFault(reply) };
  }

  #faultIn(route: Route, { status, headers, body, text }: Reply): string | undefined {
    const types = route.mediaTypes(status);
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    // A path whose ids are none, and what is no HTTP, have no operation.
    if (types.length === 0 && (status === 404 || status === 405 || status === 431)) return this.#problemFault({ body });
    const validate = route.validate(status);
    if (!validate) return `${status} is not in the document: ${text.slice(0, 200)}`;
    if (types.length > 0 && !types.includes(type) && text !== "")
      return `${status} of type ${type} instead of ${types.join(", ")}`;
    return type === "application/json" ? validate(body) : undefined;
  }

  #problemFault({ body }: Pick<Reply, "body">): string | undefined {
    return this.#problem(body) ? undefined : `is no problem: ${JSON.stringify(body).slice(0, 200)}`;
  }

  #route(path: string, method: string, { operationId, responses }: Documented): Route {
    const compiled = new Map<number, ReturnType<Route["validate"]>>();
    const at = (status: number) => {
      const found = responses[status] as (Node & { $ref?: string }) | undefined;
      const pointer = found?.$ref ?? `#/paths/${escaped(path)}/${method}/responses/${status}`;
      const response = found?.$ref ? this.#resolve(found.$ref) : found;
      return { response, pointer, content: (response?.content ?? {}) as Record<string, { schema?: unknown }> };
    };
    return {
      name: operationId,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
      mediaTypes: (status) => Object.keys(at(status).content),
      validate: (status) => {
        if (!compiled.has(status)) compiled.set(status, this.#compile(at(status)));
        return compiled.get(status);
      },
    };
  }

  #compile({
    response,
    pointer,
    content,
  }: {
    response: Node | undefined;
    pointer: string;
    content: Node;
  }): ReturnType<Route["validate"]> {
    if (!response) return undefined;
    if (!(content["application/json"] as Node | undefined)?.schema) return () => undefined;
    const validate = this.#ajv.compile({ $ref: `document${pointer}/content/application~1json/schema` });
    return (body) => (validate(body) ? undefined : `breaks the document: ${this.#ajv.errorsText(validate.errors)}`);
  }

  #resolve(pointer: string): Node | undefined {
    const steps = pointer.slice(2).split("/");
    return steps.reduce<Node | undefined>((node, step) => node?.[step] as Node | undefined, this.#document);
  }
}

/** A path as a part of a JSON pointer in a URL. */
const escaped = (path: string) => encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));
