import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { isInstalled } from "./builds.ts";
import { freePort } from "./free-port.ts";

const run = promisify(execFile);

/** Whether this machine has the programs of Ceph, which Debian has as radosgw, ceph-mon and ceph-osd. */
export const hasRadosgw = ["radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph"].every(isInstalled);

/** A real S3 server. */
export interface S3Server {
  endpoint: string;
  /** What a program needs in its environment to use it. */
  env: Record<string, string>;
  /** Ends what speaks S3, as a crash would. What is stored stays. */
  crash(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const env = { AWS_ACCESS_KEY_ID: "AKTEST", AWS_SECRET_ACCESS_KEY: "SKTEST" };

/**
 * Starts Ceph's S3 server with its data in memory, on loopback. Takes about ten seconds. What is deleted leaves the memory within seconds,
 * not after hours as by default: a long test stores more than fits.
 */
export async function startRadosgw(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-s3-"));
  for (const name of ["mon", "osd", "rgw", "run", "log"]) mkdirSync(join(folder, name), { recursive: true });
  const [port, first, second] = [await freePort(), await freePort(), await freePort()];
  const conf = join(folder, "ceph.conf");
  const [cluster, osd] = [randomUUID(), randomUUID()];
  writeFileSync(conf, configuration(folder, cluster, port, [first, second]));
  const keyring = join(folder, "keyring");
  const key = (...args: string[]) => run("ceph-authtool", args);
  const all = (...whats: string[]) => whats.flatMap((what) => ["--cap", what, "allow *"]);
  await key("--create-keyring", keyring, "--gen-key", "-n", "mon.", ...all("mon"));
  await key(keyring, "--gen-key", "-n", "client.admin", ...all("mon", "osd", "mgr"));
  await key(keyring, "--gen-key", "-n", "osd.0", "--cap", "mon", "allow profile osd", "--cap", "osd", "allow *");
  await key(keyring, "--gen-key", "-n", "client.rgw", ...all("mon", "osd"));
  const map = join(folder, "monmap");
  await run("monmaptool", ["--create", "--fsid", cluster, "--addv", "a", `[v2:127.0.0.1:${first},v1:127.0.0.1:${second}]`, map]);
  await run("ceph-mon", ["-c", conf, "--mkfs", "-i", "a", "--monmap", map, "--keyring", keyring]);

  const started = [start("ceph-mon", "-c", conf, "-i", "a", "-f")];
  const stop = async () => {
    for (const child of started.reverse()) child.kill("SIGKILL");
    await Promise.all(started.map(({ ended }) => ended));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await run("ceph", ["-c", conf, "osd", "new", osd]);
    await run("ceph-osd", ["-c", conf, "-i", "0", "--mkfs", "--osd-uuid", osd]);
    started.push(start("ceph-osd", "-c", conf, "-i", "0", "-f"));
    await until(async () => (await run("ceph", ["-c", conf, "osd", "stat"])).stdout.includes("1 up"));
    const endpoint = `http://127.0.0.1:${port}`;
    const restart = async () => {
      started.push(start("radosgw", "-c", conf, "-n", "client.rgw", "-f"));
      await until(async () => (await fetch(endpoint)).ok);
    };
    const crash = async () => {
      const gateway = started.pop()!;
      gateway.kill("SIGKILL");
      await gateway.ended;
    };
    await restart();
    const keys = ["--access-key", env.AWS_ACCESS_KEY_ID, "--secret-key", env.AWS_SECRET_ACCESS_KEY];
    await run("radosgw-admin", ["-c", conf, "user", "create", "--uid=t", "--display-name=t", ...keys]);
    return { endpoint, env, crash, restart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function start(program: string, ...args: string[]) {
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), ended };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds().catch(() => false)) return;
    await pause(200);
  }
  throw new Error("a part of Ceph did not start");
}

const configuration = (folder: string, cluster: string, port: number, [first, second]: readonly [number, number]) => `[global]
fsid = ${cluster}
keyring = ${folder}/keyring
mon_host = v2:127.0.0.1:${first},v1:127.0.0.1:${second}
mon_initial_members = a
public_network = 127.0.0.0/8
ms_bind_ipv6 = false
ms_bind_port_min = 20000
ms_bind_port_max = 29999
auth_allow_insecure_global_id_reclaim = true
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_warn = 2
mon_data_avail_crit = 1
mon_data = ${folder}/mon
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 8589934592
rgw_gc_obj_min_wait = 1
rgw_gc_processor_period = 5
log_file = ${folder}/log/$name.log
admin_socket = ${folder}/run/$name.asok
run_dir = ${folder}/run
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_data = ${folder}/rgw
`;
