import type { Group } from "../../cli/define.ts";
import { comment } from "./comment.ts";
import { init } from "./init.ts";
import { list } from "./list.ts";
import { summary } from "./summary.ts";

export const ci: Group = { commands: [list, init, summary, comment], fallback: "list" };
