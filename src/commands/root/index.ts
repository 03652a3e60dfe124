import type { Group } from "../../cli/define.ts";
import { api } from "./api.ts";
import { completion } from "./completion.ts";
import { doctor } from "./doctor.ts";
import { open } from "./open.ts";
import { stats } from "./stats.ts";
import { status } from "./status.ts";
import { studio } from "./studio.ts";

/** Top-level commands, without those that know the list of all commands. */
export const top: Group = { commands: [status, studio, stats, open, doctor, api, completion] };
