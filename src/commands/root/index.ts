import type { Group } from "../../cli/define.ts";
import { api } from "./api.ts";
import { completion } from "./completion.ts";
import { doctor } from "./doctor.ts";
import { help } from "./help.ts";
import { open } from "./open.ts";
import { schema } from "./schema.ts";
import { stats } from "./stats.ts";
import { status } from "./status.ts";
import { studio } from "./studio.ts";

/** Top-level commands. */
export const top: Group = { commands: [status, studio, stats, open, doctor, api, schema, completion, help] };
