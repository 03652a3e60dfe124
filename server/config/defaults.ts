import { allSettings, type Config, schema, withoutJit } from "./schema.ts";

/** The schema's defaults. The build evaluates this module and ships its values, so that a server without a configuration starts faster, without the schema. */

/** The defaults for production. Tests and flags override them. */
export const defaults: Config = {
  ...schema.parse({}, withoutJit),
  baseUrl: "http://127.0.0.1:4747",
  sandbox: false,
  autoVerify: false,
  behindProxy: false,
  version: "0.0.0",
};

/** The environment variables and the settings they set. */
export const variables = allSettings().flatMap(({ name, variable, isList }) =>
  variable === undefined ? [] : [{ name, variable, isList }],
);
