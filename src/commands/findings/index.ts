import type { Group } from "../../cli/define.ts";
import { close, create, remove, update } from "./create.ts";
import { add, drop, merge, split, undo } from "./evidence.ts";
import { list } from "./list.ts";
import { show } from "./show.ts";

export const findings: Group = {
  commands: [list, show, create, add, drop, merge, split, undo, update, close, remove],
  fallback: "list",
};
