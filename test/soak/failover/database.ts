import { execFile } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../helpers/free-port.ts";
import { sql } from "../../helpers/postgres-server.ts";
import { type Program, postgresPrograms, postgresUser, startProgram, until } from "./machine.ts";

const run = promisify(execFile);

/** What `playtest help server` recommends. Acknowledged changes are on both nodes. */
const settings = {
  ttl: 20,
  loop_wait: 3,
  retry_timeout: 5,
  synchronous_mode: true,
  failsafe_mode: true,
  postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_keep_size: "256MB" } },
};

interface Member {
  name: string;
  folder: string;
  port: number;
  restPort: number;
  patroni: Program;
}

/** Two nodes of PostgreSQL that Patroni manages with etcd. */
export interface DatabaseCluster {
  /** For `PLAYTEST_DATABASE_URL`: both nodes. */
  url: string;
  /** Ends PostgreSQL and Patroni of the primary, or of the standby, as the loss of its machine would. Resolves with what starts it again. */
  crash(which: "primary" | "standby"): Promise<() => Promise<void>>;
  /** Makes the standby the primary, with `patronictl`. */
  switchOver(): Promise<void>;
  stopEtcd(): Promise<void>;
  startEtcd(): Promise<void>;
  /** Waits until one node is the primary and the other has all that is acknowledged. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

export async function startDatabase(folder: string): Promise<DatabaseCluster> {
  const user = postgresUser();
  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  const etcdArgs = etcdArguments(join(folder, "etcd"), etcdPort, peerPort);
  const startEtcd = async () => {
    etcd = startProgram("etcd", etcdArgs, join(folder, "etcd.log"));
    await until("etcd starts", async () => (await fetch(`http://127.0.0.1:${etcdPort}/health`)).ok);
  };
  let etcd: Program | undefined;
  await startEtcd();

  const members: Member[] = [];
  for (const name of ["one", "two"]) {
    const place = join(folder, name);
    mkdirSync(place, { mode: 0o700 });
    const [port, restPort] = [await freePort(), await freePort()];
    const file = join(place, "patroni.yml");
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(configuration({ name, folder: place, port, restPort }, etcdPort), undefined, 2));
    if (user) for (const path of [place, file]) chownSync(path, user.uid, user.gid);
    members.push({ name, folder: place, port, restPort, patroni: startPatroni(place) });
    // The first becomes the primary.
    await until(`node ${name} starts`, async () => (await state(members.at(-1)!)).state === "running");
  }

  function startPatroni(place: string): Program {
    const options = { ...user, cwd: place, env: { ...process.env, HOME: place } };
    return startProgram("patroni", [join(place, "patroni.yml")], `${place}.log`, options);
  }

  async function primaryAndStandby(): Promise<[Member, Member]> {
    const states = await Promise.all(members.map((member) => state(member).catch(() => undefined)));
    const primary = members[states.findIndex((one) => one?.role === "master" || one?.role === "primary")];
    if (primary === undefined) throw new Error("no node is the primary");
    return [primary, members.find((one) => one !== primary)!];
  }

  async function whole(): Promise<void> {
    await until("both nodes of the database are in step", async () => {
      const [primary] = await primaryAndStandby();
      return state(primary).then(({ replication }) => (replication ?? []).some((one) => one.sync_state === "sync"));
    });
  }

  await whole();
  const [first] = members as [Member, Member];
  const superuser = `postgres://postgres:super@127.0.0.1:${first.port}/postgres`;
  await sql(superuser, "CREATE ROLE playtest LOGIN PASSWORD 'playtest'");
  await sql(superuser, "CREATE DATABASE playtest OWNER playtest");
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(",");

  return {
    url: `postgres://playtest:playtest@${hosts}/playtest`,
    async crash(which) {
      const [primary, standby] = await primaryAndStandby();
      const member = which === "primary" ? primary : standby;
      await member.patroni.end("SIGKILL");
      killTree(Number(readFileSync(join(member.folder, "data/postmaster.pid"), "utf8").split("\n")[0]));
      return async () => {
        await until(`node ${standby.name} is the primary`, async () => {
          return which === "standby" || (await primaryAndStandby())[0] === standby;
        });
        member.patroni = startPatroni(member.folder);
      };
    },
    async switchOver() {
      const [primary, standby] = await primaryAndStandby();
      const args = ["-c", join(primary.folder, "patroni.yml"), "switchover", "playtest"];
      await run("patronictl", [...args, "--master", primary.name, "--candidate", standby.name, "--force"]);
      await until("the standby is the primary", async () => (await primaryAndStandby())[0] === standby);
    },
    stopEtcd: () => etcd!.end("SIGTERM"),
    startEtcd,
    whole,
    async stop() {
      for (const { patroni } of members) await patroni.end("SIGTERM");
      await etcd!.end("SIGKILL");
    },
  };
}

const etcdArguments = (folder: string, port: number, peerPort: number) => [
  ...["--name", "one", "--data-dir", folder, "--log-level", "error"],
  ...["--listen-client-urls", `http://127.0.0.1:${port}`, "--advertise-client-urls", `http://127.0.0.1:${port}`],
  ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`, "--initial-advertise-peer-urls", `http://127.0.0.1:${peerPort}`],
  ...["--initial-cluster", `one=http://127.0.0.1:${peerPort}`],
];

const configuration = ({ name, folder, port, restPort }: Omit<Member, "patroni">, etcdPort: number) => ({
  scope: "playtest",
  name,
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
  bootstrap: { dcs: settings, initdb: [{ encoding: "UTF8" }, "data-checksums"] },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: join(folder, "data"),
    bin_dir: postgresPrograms(),
    authentication: {
      superuser: { username: "postgres", password: "super" },
      replication: { username: "replicator", password: "replicate" },
      rewind: { username: "rewinder", password: "rewind" },
    },
    parameters: { unix_socket_directories: folder },
    pg_hba: [
      "local all all trust",
      "host all all 127.0.0.1/32 scram-sha-256",
      "host replication replicator 127.0.0.1/32 scram-sha-256",
    ],
  },
});

interface State {
  state: string;
  role: string;
  replication?: { sync_state: string }[];
}

const state = async ({ restPort }: Member): Promise<State> =>
  (await (await fetch(`http://127.0.0.1:${restPort}/patroni`)).json()) as State;

/** Kills a process and all that it started. */
function killTree(pid: number): void {
  const children = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid);
  for (const one of [pid, ...children.map(Number)])
    try {
      process.kill(one, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}
