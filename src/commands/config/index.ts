import type { Group } from "../../cli/define.ts";
import { explain } from "./explain.ts";
import { get, list, path } from "./get.ts";
import { set } from "./set.ts";

export const config: Group = { commands: [get, set, list, explain, path], fallback: "list" };
