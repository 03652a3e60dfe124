import type { Group } from "../../cli/define.ts";
import { help } from "./help.ts";
import { schema } from "./schema.ts";

/** Top-level commands that know the list of all commands. */
export const lists: Group = { commands: [schema, help] };
