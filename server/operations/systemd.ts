import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { shellQuote } from "../../src/contract/text/shell.ts";
import { keepForm, parseKeep } from "../config/keep-rule.ts";
import { ConfigError, readConfig } from "../config/read.ts";
import { checkOptions, type ServeOptions } from "../config/serve-options.ts";

/** The options of the server that the unit runs, and its user. */
export interface UnitOptions
  extends Pick<ServeOptions, "port" | "host" | "publicUrl" | "behindProxy" | "config" | "tlsCert" | "tlsKey"> {
  data: string;
  user: string;
  /** File with `NAME=value` lines for secrets and, without SQLite, the database URL. */
  environmentFile: string;
  /** Folder of the backups, which are kept, and when one is made, as systemd.time(7) has it. */
  backups: string;
  keep: string;
  at: string;
}

/** The units that can be printed: the server, its socket, and a backup with its timer. */
export const units = { service, socket, backup, "backup-timer": backupTimer } satisfies Record<string, (facts: Facts) => string>;
export type UnitKind = keyof typeof units;

interface Facts {
  options: UnitOptions;
  program: readonly string[];
  data: string;
  environmentFile: string;
  /** How long (ms) a server that stops still answers, and then finishes requests. */
  graceMs: number;
  drainMs: number;
  /** The folders that the server writes to. */
  written: readonly string[];
  /** Whether it listens on a port that only root may use, unless a program is given the right to. */
  listensLow: boolean;
}

/** How long a stop may take beyond that: for the last checkpoint of the database. */
const afterDrainSeconds = 10;
/** Ports from here on are for everybody. */
const firstFreePort = 1024;
/** Without a sign of life for so long, systemd starts the server again. */
const watchdogSeconds = 60;

/**
 * A systemd unit for this installation, with hardening, but without `MemoryDenyWriteExecute`, because Node.js compiles at run time.
 * Throws ConfigError for options that `serve run` would refuse.
 */
export async function unitFile(kind: UnitKind, options: UnitOptions, program: readonly string[]): Promise<string> {
  checkOptions({ ...options, version: "" });
  const data = resolve(options.data);
  if (!parseKeep(options.keep)) throw new ConfigError(`--keep ${options.keep} is not a rule. Pass one such as ${keepForm}.`);
  if (!/^[a-z_][a-z0-9_-]*$/i.test(options.user))
    throw new ConfigError(`${JSON.stringify(options.user)} is not a valid user name.`);
  const { http, backup, metrics } = await readConfig({}, data, options.config);
  return units[kind]({
    options,
    program,
    data,
    environmentFile: resolve(options.environmentFile),
    ...{ graceMs: http.graceMs, drainMs: http.drainMs },
    written: backup.to === null ? [data] : [data, backup.to],
    listensLow: [options.port, metrics.port].some((port) => port != null && port < firstFreePort),
  });
}

function service(facts: Facts): string {
  const { options, program, data, graceMs, drainMs, written, listensLow } = facts;
  const stopSeconds = Math.ceil((graceMs + drainMs) / 1000);
  const words = ["serve", "run", "--data", data, "--log", "json", ...flagsOf(options)];
  const { config, tlsCert, tlsKey } = options;
  const inHome = areInHome([...program, ...written, config, tlsCert, tlsKey]);
  return `# /etc/systemd/system/playtest.service, for:
#   useradd --system --home-dir ${shellQuote(data)} --shell /usr/sbin/nologin ${options.user}
#   systemctl daemon-reload && systemctl enable --now playtest
# The first start writes an admin API key to ${path(join(data, "admin-key"))}. To back up: playtest serve backup FOLDER ${["--data", data, ...configOf(options)].map(shellQuote).join(" ")}
${inHome ? `# Node.js, the program, the data or a file that the server reads is in a home directory, where ${options.user} must be able to read it.\n` : ""}
[Unit]
Description=playtest server
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
# The server says when it accepts requests, after migrations of any length, and then that it is alive.
Type=notify
NotifyAccess=all
TimeoutStartSec=infinity
WatchdogSec=${watchdogSeconds}
ExecStart=${commandLine(program, words)}
${tlsCert === undefined ? "" : "# Reads the certificate again.\nExecReload=/bin/kill -HUP $MAINPID\n"}Restart=on-failure
RestartSec=2
# On SIGTERM the server says that it is not ready, answers for ${graceMs / 1000} s more, then finishes requests in progress for up to ${drainMs / 1000} s.
TimeoutStopSec=${stopSeconds + afterDrainSeconds}
LimitNOFILE=65536
${confined(facts, { written, inHome, listensLow })}

[Install]
WantedBy=multi-user.target
`;
}

/** systemd keeps the socket open while the server restarts, so connections wait instead of being refused. */
function socket({ options }: Facts): string {
  const host = listenable(options.host ?? "127.0.0.1");
  return `# /etc/systemd/system/playtest.socket, beside playtest.service:
#   systemctl daemon-reload && systemctl stop playtest && systemctl enable --now playtest.socket && systemctl start playtest
# While the server restarts, connections wait in this socket. Print the service without --host and --port, or with the same ones.
[Unit]
Description=Socket of the playtest server

[Socket]
ListenStream=${plain(host.includes(":") ? `[${host}]` : host)}:${options.port ?? 4747}
NoDelay=true
Backlog=4096

[Install]
WantedBy=sockets.target
`;
}

/** systemd looks up no names. */
function listenable(host: string): string {
  if (host === "localhost") return "127.0.0.1";
  if (isIP(host) !== 0) return host;
  throw new ConfigError(
    `--host ${host} is a name, and a socket of systemd listens on an address only. No unit was printed. Pass the IP address that it stands for.`,
  );
}

function backup(facts: Facts): string {
  const { options, program, data } = facts;
  const target = resolve(options.backups);
  const written = [data, target];
  const inHome = areInHome([...program, ...written, options.config]);
  const words = ["serve", "backup", target, "--keep", options.keep, "--data", data, ...configOf(options)];
  return `# /etc/systemd/system/playtest-backup.service, started by playtest-backup.timer, or by: systemctl start playtest-backup
# The folder must exist: install -d -o ${options.user} -m 0700 ${shellQuote(target)}
[Unit]
Description=Backup of the playtest server
After=playtest.service postgresql.service

[Service]
Type=oneshot
ExecStart=${commandLine(program, words)}
Nice=10
IOSchedulingClass=idle
${confined(facts, { written, inHome, listensLow: false })}
`;
}

function backupTimer({ options }: Facts): string {
  return `# /etc/systemd/system/playtest-backup.timer, beside playtest-backup.service:
#   systemctl daemon-reload && systemctl enable --now playtest-backup.timer
# systemctl list-timers shows the next backup; journalctl -u playtest-backup shows the last ones.
[Unit]
Description=Daily backup of the playtest server

[Timer]
OnCalendar=${plain(options.at)}
RandomizedDelaySec=10min
# A backup that was due while the machine was off is made when it starts.
Persistent=true

[Install]
WantedBy=timers.target
`;
}

/** Whether one of the paths is where `ProtectHome=yes` hides everything. The environment file may be there: systemd reads it itself. */
const areInHome = (paths: readonly (string | undefined)[]) =>
  paths.some((path) => path !== undefined && /^\/(home|root|run\/user)(\/|$)/.test(resolve(path)));

/** The user, the environment and what is taken away: all but network, CPU and the folders that the program writes to. */
function confined(
  { options, environmentFile }: Pick<Facts, "options" | "environmentFile">,
  { written, inHome, listensLow }: Pick<Facts, "written" | "listensLow"> & { inHome: boolean },
): string {
  const capability = listensLow ? "CAP_NET_BIND_SERVICE" : "";
  return `User=${options.user}
# Lines like PLAYTEST_SMTP_URL=…, mode 0600. systemd reads the file as root.
EnvironmentFile=-${pattern(environmentFile)}
UMask=0077

# Only these folders are written to.
${written.map((one, at) => folder(one, at > 0)).join("\n")}
ProtectSystem=strict
ProtectHome=${inHome ? "read-only" : "yes"}
PrivateTmp=yes
PrivateDevices=yes
NoNewPrivileges=yes
${listensLow ? "# For a port below 1024. It is of no use in a user namespace, so PrivateUsers= is left out.\n" : ""}CapabilityBoundingSet=${capability}
AmbientCapabilities=${capability}
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
${listensLow ? "" : "PrivateUsers=yes\n"}SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM`;
}

/** The command that started this program: Node.js and the script. */
export const thisProgram = () => [process.execPath, resolve(process.argv[1] ?? "")];

const configOf = ({ config }: UnitOptions) => (config === undefined ? [] : ["--config", resolve(config)]);

function flagsOf(options: UnitOptions): string[] {
  const { port, host, publicUrl, behindProxy, tlsCert, tlsKey } = options;
  const files = { "--tls-cert": tlsCert, "--tls-key": tlsKey };
  const values = {
    ...{ "--port": port?.toString(), "--host": host, "--public-url": publicUrl },
    ...Object.fromEntries(Object.entries(files).map(([flag, file]) => [flag, file && resolve(file)])),
  };
  const given = Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return [...configOf(options), ...given, ...(behindProxy ? ["--behind-proxy"] : [])];
}

/** systemd creates private folders below /var/lib itself. Any other folder must already exist, unless the server does without it. */
function folder(written: string, isOptional: boolean): string {
  const name = /^\/var\/lib\/([\w.-]+)$/.exec(written)?.[1];
  return name === undefined
    ? `ReadWritePaths=${path(isOptional ? `-${written}` : written)}`
    : `StateDirectory=${name}\nStateDirectoryMode=0700`;
}

/** Escapes a value, so that nothing in a path or flag starts a new line or is expanded by systemd. */
function plain(text: string): string {
  if (/\p{Cc}/u.test(text))
    throw new ConfigError(`${JSON.stringify(text)} has control characters, which a unit file cannot contain.`);
  return text.replaceAll("%", "%%");
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);
const path = (text: string) => quoted(plain(text));
const word = (text: string) => quoted(plain(text).replaceAll("$", "$$$$"));
/** Variables stand for their values in all words but the first. */
const commandLine = ([first = "", ...others]: readonly string[], words: readonly string[]) =>
  [path(first), ...[...others, ...words].map(word)].join(" ");
/** Of EnvironmentFile=, where quotes are a part of the path, and wildcards are not. */
const pattern = (text: string) => plain(text).replace(/[\\*?[]/g, "\\$&");
