import type { Group } from "../../cli/define.ts";
import { backup, exportCommand } from "./archive/backup.ts";
import { importCommand, restoreCommand } from "./archive/restore.ts";
import { backupVerify } from "./archive/verify.ts";
import { config } from "./config.ts";
import { compose, kubernetes } from "./containers.ts";
import { dashboards } from "./dashboards.ts";
import { doctor } from "./doctor.ts";
import { migrate } from "./migrate.ts";
import { moveFiles } from "./move-files.ts";
import { proxy } from "./proxy.ts";
import { resetFactor } from "./reset-factor.ts";
import { rotateKey } from "./rotate-key.ts";
import { run } from "./run.ts";
import { systemd } from "./systemd.ts";
import { top } from "./top.ts";
import { upgrade } from "./upgrade.ts";

export const serve: Group = {
  commands: [
    run,
    config,
    doctor,
    top,
    migrate,
    upgrade,
    moveFiles,
    backup,
    backupVerify,
    restoreCommand,
    exportCommand,
    importCommand,
    rotateKey,
    resetFactor,
    systemd,
    proxy,
    compose,
    kubernetes,
    dashboards,
  ],
  fallback: "run",
  about: [
    ["First start", "Creates the database, the server's keys and an administrator, whose API key is shown once: keep it."],
    ["Data", "In one folder, which the server names at its start (--data DIR). Back it up with `playtest serve backup`."],
    [
      "Then",
      "Open http://127.0.0.1:4747/, or run in another terminal: `playtest auth register --base-url http://127.0.0.1:4747`",
    ],
    ["Address", "--port PORT chooses another port; --public-url URL says how others reach the server."],
    ["To try it", "`playtest serve --seed demo --ephemeral`: no real money, something to review, nothing left behind."],
    ["Email", "Files in the folder `outbox`, until PLAYTEST_SMTP_URL names a mail server."],
    ["Settings", "`playtest serve config` lists them. More: `playtest help server`"],
    ["To stop", "Ctrl-C: requests in progress are finished, and the data stays."],
  ],
};
