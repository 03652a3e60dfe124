import type { Group } from "../define.ts";
import { doctor } from "./doctor.ts";
import { migrate } from "./migrate.ts";
import { run } from "./run.ts";

export const serve: Group = { commands: [run, doctor, migrate], fallback: "run" };
