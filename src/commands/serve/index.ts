import type { Group } from "../../cli/define.ts";
import { backup, exportCommand } from "./backup.ts";
import { config } from "./config.ts";
import { doctor } from "./doctor.ts";
import { migrate } from "./migrate.ts";
import { importCommand, restoreCommand } from "./restore.ts";
import { rotateKey } from "./rotate-key.ts";
import { run } from "./run.ts";
import { systemd } from "./systemd.ts";

export const serve: Group = {
  commands: [run, config, doctor, migrate, backup, restoreCommand, exportCommand, importCommand, rotateKey, systemd],
  fallback: "run",
};
