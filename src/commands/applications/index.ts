import type { Group } from "../../cli/define.ts";
import { approve } from "./approve.ts";
import { list } from "./list.ts";
import { reject } from "./reject.ts";
import { show } from "./show.ts";

export const applications: Group = { commands: [list, show, approve, reject], fallback: "list" };
