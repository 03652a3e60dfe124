import { join } from "node:path";
import { pages, portal, studio } from "../../src/contract/pages/addresses.ts";
import type { ServeOptions } from "../config/serve-options.ts";
import { type DatabaseLocation, reportLocation } from "../database/drivers.ts";
import type { Demo } from "../sandbox/demo.ts";
import type { Seeded } from "../sandbox/seed-minimal.ts";
import type { Running } from "./start.ts";

/** What the ready file has. */
export interface Ready extends Partial<Seeded>, Partial<Pick<Demo, "password" | "ownerEmail" | "testerEmail">> {
  baseUrl: string;
  pid: number;
  adminKey: string | null;
}

interface Started {
  options: ServeOptions;
  isTTY: boolean;
  running: Running;
  location: DatabaseLocation & { temporary: boolean };
  ready: Ready;
  /** Keeps the key of the administrator in a file. Returns what to say of it. */
  keepAdminKey(dataDir: string, adminKey: string): string;
}

/** What a server says about itself when it has started: where it is, where its data is, and what to do next. */
export function banner({ options, isTTY, running, location, ready, keepAdminKey }: Started): string {
  const { config, mailer, blobs } = running.deps;
  const { database, databaseFrom, dataDir, dataDirFrom } = reportLocation(location);
  const outbox = `not sent: written to this folder (to send it, set PLAYTEST_SMTP_URL)\n            ${join(dataDir, "outbox")}`;
  const lines = [
    `playtest ${config.version} serves ${running.baseUrl}`,
    `  mode      ${config.sandbox ? "SANDBOX: no real money, and a clock that can be moved" : "live"}`,
    `  database  ${database} (${databaseFrom})`,
    `  data      ${dataDir} (${dataDirFrom}${location.temporary ? ", deleted on exit" : ""})`,
    ...(blobs.remote ? [`  files     ${blobs.remote.name}`] : []),
    `  email     ${mailer.delivers ? mailer.name : outbox}`,
  ];
  const { adminKey, ownerKey } = ready;
  if (showsKeys(options)) {
    if (adminKey !== null) lines.push(`  admin     ${isTTY ? `${adminKey}  (shown once)` : keepAdminKey(dataDir, adminKey)}`);
    if (ownerKey !== undefined) lines.push(`  owner     ${ownerKey}  (its API key)`);
  }
  const signIns = showsKeys(options) && ready.password !== undefined ? signInsOf(ready as Demo & Ready) : [];
  return `${[...lines, ...signIns, ...nextSteps(options, isTTY, running)].join("\n")}\n`;
}

/** How to look at the demo as each of the three roles. */
const signInsOf = ({ baseUrl, ownerEmail, testerEmail, password }: Demo & Ready) => [
  "",
  `The demo's password, for its owner and its playtester: ${password}`,
  `Owner, in a browser: ${baseUrl}/studio as ${ownerEmail}`,
  "Owner, in a terminal:",
  `  playtest login --email ${ownerEmail} --base-url ${baseUrl}`,
  `Playtester: ${baseUrl}/play as ${testerEmail}`,
  "Operator, with the admin key above:",
  `  playtest login --with-key --profile admin --base-url ${baseUrl}`,
];

/** Where people go from here. Whoever reads a log or runs a command against the server needs none of this. */
function nextSteps({ exec, seed }: ServeOptions, isTTY: boolean, { baseUrl, deps: { config, mailer } }: Running): string[] {
  if (!isTTY || exec !== undefined) return [];
  const unsent = !mailer.delivers && !config.autoVerify;
  return [
    "",
    `Start page        ${baseUrl}/`,
    `For playtesters   ${baseUrl}${portal.offers()}`,
    `For game owners   ${baseUrl}${studio.inbox()}`,
    `Documentation     ${baseUrl}${pages.docs()}`,
    "",
    ...firstSteps[config.registration]({ baseUrl, seed, unsent }),
    "Press Ctrl-C to stop.",
  ];
}

interface Steps {
  baseUrl: string;
  seed: ServeOptions["seed"];
  unsent: boolean;
}

const adminLogin = (baseUrl: string) => `  playtest login --with-key --profile admin --base-url ${baseUrl}`;

/** Without a mail server, nobody gets a verification link: the administrator verifies addresses. */
const registerSteps = ({ baseUrl, seed, unsent }: Steps) => [
  ...(seed === "demo" ? [] : ["Next, in another terminal:", `  playtest auth register --base-url ${baseUrl}`]),
  ...(unsent
    ? [
        "No email is sent, so verify each account as the administrator:",
        adminLogin(baseUrl),
        "  playtest admin users verify EMAIL --profile admin",
      ]
    : []),
];

/** Where nobody registers, the administrator invites. */
const inviteSteps = ({ baseUrl, unsent }: Steps) => [
  "Nobody can register here. Next, in another terminal, as the administrator:",
  adminLogin(baseUrl),
  "  playtest admin invite people.csv --profile admin",
  ...(unsent ? ["No email is sent, so forward the links in the folder above."] : []),
];

const closedSteps = ({ baseUrl }: Steps) => [
  "New accounts are not accepted. The administrator signs in with:",
  adminLogin(baseUrl),
];

const firstSteps = { open: registerSteps, invite: inviteSteps, closed: closedSteps };

/** Keys are not printed when the ready file has them, or when an `exec` command on a temporary server gets them in its environment. */
const showsKeys = ({ readyFile, ephemeral, exec }: ServeOptions) => readyFile === undefined && !(ephemeral && exec !== undefined);
