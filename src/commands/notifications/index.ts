import type { Group } from "../../cli/define.ts";
import { list } from "./list.ts";
import { readAll } from "./read-all.ts";
import { settings } from "./settings.ts";
import { watch } from "./watch.ts";

export const notifications: Group = { commands: [list, readAll, settings, watch], fallback: "list" };
