import { allSettings, type Config, once, schema } from "./schema.ts";

/** What the schema says at every start. A build evaluates this module once and ships its values: a server without a configuration starts without the schema. */

/** Production's. Tests and flags override. */
export const defaults: Config = {
  ...schema.parse({}, once),
  baseUrl: "http://127.0.0.1:4747",
  sandbox: false,
  autoVerify: false,
  version: "0.0.0",
};

/** The environment variables, with the settings they set. */
export const variables = allSettings().flatMap(({ name, variable, isList }) =>
  variable === undefined ? [] : [{ name, variable, isList }],
);
