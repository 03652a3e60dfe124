import { join, resolve } from "node:path";
import { ConfigError, readConfig } from "../config/read.ts";
import { checkOptions, type ServeOptions } from "../config/serve-options.ts";

/** The options of the server that the unit runs, and its user. */
export interface UnitOptions extends Pick<ServeOptions, "port" | "host" | "publicUrl" | "behindProxy" | "config"> {
  data: string;
  user: string;
  /** File with `NAME=value` lines for secrets and, without SQLite, the database URL. */
  envFile: string;
}

/** How long a stop may take beyond that: for the last checkpoint of the database. */
const afterDrainSeconds = 10;

/**
 * A systemd unit that runs this installation's server with hardening, but without `MemoryDenyWriteExecute`, because Node.js compiles
 * at run time. Throws ConfigError for options that `serve run` would refuse.
 */
export async function unitFile(options: UnitOptions, program: readonly string[]): Promise<string> {
  checkOptions({ ...options, version: "" });
  const data = resolve(options.data);
  const envFile = resolve(options.envFile);
  if (!/^[a-z_][a-z0-9_-]*$/i.test(options.user))
    throw new ConfigError(`${JSON.stringify(options.user)} is not a valid user name.`);
  const { graceMs, drainMs } = (await readConfig({}, data, options.config)).http;
  const stopSeconds = Math.ceil((graceMs + drainMs) / 1000);
  const words = [...program, "serve", "run", "--data", data, "--log", "json", ...flagsOf(options)];
  const inHome = [...program, data].some((path) => /^\/(home|root|run\/user)\//.test(path));
  return `# /etc/systemd/system/playtest.service, for:
#   useradd --system --home-dir ${data} --shell /usr/sbin/nologin ${options.user}
#   systemctl daemon-reload && systemctl enable --now playtest
# The first start writes an admin API key to ${path(join(data, "admin-key"))}. To back up: playtest serve backup FILE --data ${data}
${inHome ? `# Node.js, the program or the data is in a home directory, where ${options.user} must be able to read it.\n` : ""}
[Unit]
Description=playtest server
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=${options.user}
# Lines like PLAYTEST_SMTP_URL=…, mode 0600. systemd reads the file as root.
EnvironmentFile=-${path(envFile)}
ExecStart=${words.map(word).join(" ")}
Restart=on-failure
RestartSec=2
# On SIGTERM the server says that it is not ready, answers for ${graceMs / 1000} s more, then finishes requests in progress for up to ${drainMs / 1000} s.
TimeoutStopSec=${stopSeconds + afterDrainSeconds}
LimitNOFILE=65536
UMask=0077

# The server writes only to its data folder.
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

/** The command that started this program: Node.js and the script. */
export const thisProgram = () => [process.execPath, resolve(process.argv[1] ?? "")];

function flagsOf({ port, host, publicUrl, behindProxy, config }: UnitOptions): string[] {
  const values = { "--port": port?.toString(), "--host": host, "--public-url": publicUrl, "--config": config && resolve(config) };
  const given = Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return behindProxy ? [...given, "--behind-proxy"] : given;
}

/** systemd creates private folders below /var/lib itself. Any other folder must already exist. */
function folders(data: string): string {
  const name = /^\/var\/lib\/([\w.-]+)$/.exec(data)?.[1];
  return name === undefined ? `ReadWritePaths=${path(data)}` : `StateDirectory=${name}\nStateDirectoryMode=0700`;
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
