import type { contract } from "../../../src/contract/index.ts";
import { openapi } from "../../../src/contract/openapi/document.ts";

/** The parts of the OpenAPI document that the reference shows. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: (string | number)[];
  const?: string | number;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
  "x-extension"?: boolean;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

type Content = Record<string, { schema?: Schema }>;

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
  "x-risk": string;
  "x-extension"?: boolean;
  "x-alias-of"?: string;
}

export interface Reference {
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

/** The OpenAPI document as a client receives it: plain JSON. */
export const referenceOf = (all: typeof contract, options: Parameters<typeof openapi>[1]): Reference =>
  JSON.parse(JSON.stringify(openapi(all, options)));

export interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/** The routes of one tag, in the order of the document, without the alternative forms of a path. */
export const routesOf = ({ paths }: Reference, tag: string): Route[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags[0] === tag && operation["x-alias-of"] === undefined)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The name at the end of a reference: `Game` for `#/components/schemas/Game`. */
export const refName = (ref: string) => ref.split("/").at(-1) ?? ref;
