import { resolve } from "node:path";
import { ConfigError, readConfig } from "../config/read.ts";
import { checkOptions, type ServeOptions } from "../config/serve-options.ts";

/** What the unit is to run, and as whom. */
export interface UnitOptions extends Pick<ServeOptions, "port" | "host" | "publicUrl" | "behindProxy" | "config"> {
  data: string;
  user: string;
  /** File with `NAME=value` lines: secrets, and the database if it is not SQLite. */
  envFile: string;
}

/** What a stop may take beyond the requests it waits for: jobs in hand, and the last of the write-ahead log. */
const afterDrainSeconds = 35;

/**
 * A unit file that runs this installation's server hardened. Not `MemoryDenyWriteExecute`: Node.js compiles as it runs. Throws
 * ConfigError for what `serve run` would not take.
 */
export async function unitFile(options: UnitOptions, program: readonly string[]): Promise<string> {
  checkOptions({ ...options, version: "" });
  const data = resolve(options.data);
  const envFile = resolve(options.envFile);
  if (!/^[a-z_][a-z0-9_-]*$/i.test(options.user)) throw new ConfigError(`${JSON.stringify(options.user)} is not a user's name.`);
  const { drainMs } = (await readConfig({}, data, options.config)).http;
  const words = [...program, "serve", "run", "--data", data, "--log", "json", ...flagsOf(options)];
  const inHome = [...program, data].some((path) => /^\/(home|root|run\/user)\//.test(path));
  return `# /etc/systemd/system/playtest.service, for:
#   useradd --system --home-dir ${data} --shell /usr/sbin/nologin ${options.user}
#   systemctl daemon-reload && systemctl enable --now playtest
# The first start prints an admin key, once: journalctl -u playtest. Backups: playtest serve backup FILE --data ${data}
${inHome ? `# Node.js, the program or the data is in a home folder: ${options.user} must be able to read it there.\n` : ""}
[Unit]
Description=playtest server
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=${options.user}
# Lines like PLAYTEST_SMTP_URL=…, mode 0600: systemd reads it before it becomes ${options.user}.
EnvironmentFile=-${path(envFile)}
ExecStart=${words.map(word).join(" ")}
Restart=on-failure
RestartSec=2
# It stops by SIGTERM, finishing what is in flight for up to ${Math.ceil(drainMs / 1000)} s.
TimeoutStopSec=${Math.ceil(drainMs / 1000) + afterDrainSeconds}
LimitNOFILE=65536
UMask=0077

# It writes to its data folder and nowhere else.
${folders(data)}
ProtectSystem=strict
ProtectHome=${inHome ? "read-only" : "yes"}
PrivateTmp=yes
PrivateDevices=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
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
PrivateUsers=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/** How the program that runs was started: Node.js, and the file it was given. */
export const thisProgram = () => [process.execPath, resolve(process.argv[1] ?? "")];

function flagsOf({ port, host, publicUrl, behindProxy, config }: UnitOptions): string[] {
  const values = { "--port": port?.toString(), "--host": host, "--public-url": publicUrl, "--config": config && resolve(config) };
  const given = Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return behindProxy ? [...given, "--behind-proxy"] : given;
}

/** systemd makes folders below /var/lib itself, for the user alone; any other must be there. */
function folders(data: string): string {
  const name = /^\/var\/lib\/([\w.-]+)$/.exec(data)?.[1];
  return name === undefined ? `ReadWritePaths=${path(data)}` : `StateDirectory=${name}\nStateDirectoryMode=0700`;
}

/** Nothing in a path or flag may begin a line of its own, or stand for something else. */
function plain(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new ConfigError(`${JSON.stringify(text)} has characters that cannot stand in a unit file.`);
  return text.replaceAll("%", "%%");
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);
const path = (text: string) => quoted(plain(text));
const word = (text: string) => quoted(plain(text).replaceAll("$", "$$$$"));
