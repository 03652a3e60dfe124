import type { Group } from "../../cli/define.ts";
import { init } from "./init.ts";
import { summary } from "./summary.ts";

export const ci: Group = { commands: [init, summary] };
