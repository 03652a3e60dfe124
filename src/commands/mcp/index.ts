import type { Group } from "../../cli/define.ts";
import { install } from "./install.ts";
import { run } from "./run.ts";

export const mcp: Group = { commands: [run, install], fallback: "run" };
