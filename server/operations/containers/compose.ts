import { stringify } from "yaml";
import { checkOptions } from "../../config/serve-options.ts";
import { proxyConfiguration } from "../proxies.ts";
import { dataPath, port, serveArguments, startSeconds, stopSeconds } from "./images.ts";

export interface ComposeOptions {
  /** Address of the server for its clients. */
  publicUrl: string;
  /** Whether PostgreSQL takes the place of SQLite. */
  postgresql: boolean;
  /** Name of the server's image. */
  image: string;
  /** The password of the database, of letters and digits. */
  password: string;
}

/** A file to write, and who may read it. */
interface ComposeFile {
  name: string;
  text: string;
  isSecret: boolean;
}

/** The first process also brings the database up to date. */
const processesOf = (postgresql: boolean): [string, ...string[]] => (postgresql ? ["playtest-1", "playtest-2"] : ["playtest"]);

/**
 * Files for Docker Compose: the server, Caddy in front of it, and with PostgreSQL two processes of the server and the database. Throws
 * ConfigError for an address that `serve run` would refuse.
 */
export async function composeFiles(options: ComposeOptions): Promise<ComposeFile[]> {
  const { publicUrl, postgresql, password } = options;
  checkOptions({ publicUrl, version: "" });
  const upstreams = processesOf(postgresql).map((name) => `${name}:${port}`);
  const proxy = { publicUrl, upstreams, certificate: undefined, certificateKey: undefined, data: dataPath, config: undefined };
  const settings = [
    "# Settings and secrets of the server, one NAME=value per line: playtest help environment",
    "#PLAYTEST_SMTP_URL=smtps://user:password@mail.example.com",
    "#PLAYTEST_MAIL_FROM=Playtest <no-reply@example.com>",
  ];
  const address = `PLAYTEST_DATABASE_URL=postgresql://playtest:${password}@database:5432/playtest`;
  const lines = postgresql ? [...settings, address] : settings;
  return [
    {
      name: "compose.yaml",
      text: `${head(options)}${stringify(services(options), { lineWidth: 0, aliasDuplicateObjects: false })}`,
      isSecret: false,
    },
    { name: "Caddyfile", text: await proxyConfiguration("caddy", proxy), isSecret: false },
    { name: "playtest.env", text: `${lines.join("\n")}\n`, isSecret: true },
    ...(postgresql
      ? [
          { name: "database.env", text: `POSTGRES_PASSWORD=${password}\n`, isSecret: true },
          { name: "database.sql", text: databaseSql, isSecret: false },
        ]
      : []),
  ];
}

const head = ({ image, postgresql }: ComposeOptions) => `# The image is built from a checkout: docker build --tag ${image} .
# Start: docker compose up --detach
# The API key of the administrator, once: docker compose exec ${processesOf(postgresql)[0]} cat ${dataPath}/admin-key
# Backup: docker compose exec ${processesOf(postgresql)[0]} node /app/bin/playtest.js serve backup ${dataPath}/backups --keep 7d,4w,12m --data ${dataPath}
`;

function services({ publicUrl, postgresql, image }: ComposeOptions) {
  const [first, ...others] = processesOf(postgresql);
  const server = (after: Record<string, unknown>) => ({
    image,
    command: serveArguments(publicUrl, postgresql),
    env_file: "playtest.env",
    restart: "unless-stopped",
    stop_grace_period: `${stopSeconds}s`,
    read_only: true,
    tmpfs: ["/tmp"],
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    volumes: [`data:${dataPath}`],
    healthcheck: { start_period: `${startSeconds}s` },
    ...(Object.keys(after).length > 0 && { depends_on: after }),
  });
  const healthy = { condition: "service_healthy" };
  return {
    services: {
      [first]: server(postgresql ? { database: healthy } : {}),
      ...Object.fromEntries(others.map((name) => [name, server({ [first]: healthy })])),
      proxy: {
        image: "caddy:2",
        restart: "unless-stopped",
        ports: publishedPorts(new URL(publicUrl)),
        volumes: ["./Caddyfile:/etc/caddy/Caddyfile:ro", "certificates:/data"],
        depends_on: { [first]: healthy },
      },
      ...(postgresql && { database: databaseService }),
    },
    volumes: { data: {}, certificates: {}, ...(postgresql && { database: {} }) },
  };
}

/** The port of the URL, with UDP for HTTP/3, and port 80 for certificates and for clients that begin without https. */
function publishedPorts(url: URL): string[] {
  if (url.protocol === "http:") return [`${url.port || 80}:${url.port || 80}`];
  const own = url.port || 443;
  return [...new Set(["80:80", `${own}:${own}`, `${own}:${own}/udp`])];
}

/** What the image runs once, when its volume is empty. The user of its own is a superuser, whom PostgreSQL keeps from nothing. */
const databaseSql = `-- Runs once, when the volume of the database is new. The server is no superuser: the database keeps it from changing or removing
-- what it wrote to the ledger, the audit log and invoices.
\\getenv password POSTGRES_PASSWORD
CREATE ROLE playtest LOGIN PASSWORD :'password';
CREATE DATABASE playtest OWNER playtest;
-- The superuser has no password: docker compose exec database psql --username postgres
ALTER ROLE CURRENT_USER PASSWORD NULL;
`;

const databaseService = {
  image: "docker.io/library/postgres:18",
  restart: "unless-stopped",
  env_file: "database.env",
  // Shared memory of parallel queries; the default of 64 MiB is too little for PostgreSQL.
  shm_size: "256m",
  stop_grace_period: "60s",
  volumes: ["database:/var/lib/postgresql", "./database.sql:/docker-entrypoint-initdb.d/playtest.sql:ro"],
  healthcheck: {
    test: ["CMD", "pg_isready", "--username", "playtest", "--host", "127.0.0.1"],
    interval: "5s",
    timeout: "3s",
    retries: 12,
  },
};
