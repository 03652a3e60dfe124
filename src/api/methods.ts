import { operations } from "../contract/static.ts";
import type { ClientCore, Methods } from "./client.ts";

/** One method per operation; each returns the `data` of the response. */
export function methodsOf(call: ClientCore["call"]): Methods {
  const names = Object.keys(operations) as (keyof Methods)[];
  return Object.fromEntries(names.map((name) => [name, async (input: never) => (await call(name, input)).data])) as Methods;
}
