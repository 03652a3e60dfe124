import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Formats say what their patterns repeat, and the bounds of a safe integer say nothing. */
function simplify(node: JsonSchema) {
  if (node.format || node.type === "integer") delete node.pattern;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  nameFields(node);
}

/** A record with a few possible names is an object with these fields. */
function nameFields(node: JsonSchema) {
  const { propertyNames: names, additionalProperties: value } = node;
  if (typeof names !== "object" || !names.enum || typeof value !== "object") return;
  node.properties = Object.fromEntries(names.enum.map((name) => [String(name), value]));
  delete node.propertyNames;
  delete node.additionalProperties;
}

/**
 * JSON Schema 2020-12 of what a caller sends. Named parts stay below `$defs`.
 */
export function inputSchema(type: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(type, { io: "input", override: ({ jsonSchema }) => simplify(jsonSchema) });
  return schema;
}

/** JSON Schema 2020-12 of what the server answers. Objects stay open: fields may be added within a major version. */
export function replySchema(type: z.ZodType): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(type, {
    io: "output",
    override: ({ jsonSchema }) => {
      simplify(jsonSchema);
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return schema;
}
