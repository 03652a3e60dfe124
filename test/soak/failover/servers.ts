import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../helpers/free-port.ts";
import { startProxy } from "../../helpers/proxies.ts";
import { certificatesFor } from "../../helpers/tls.ts";
import { type Program, startProgram, until } from "./machine.ts";
import type { Stop } from "./record.ts";

const program = join(import.meta.dirname, "../../../bin/playtest.js");

/** Two processes of one marketplace behind nginx, each with a folder of its own. */
export interface Servers {
  publicUrl: string;
  /** The certificate of the authority that signed nginx's. */
  ca: string;
  adminKey: string;
  /** When processes were ended. */
  stops: Stop[];
  kill(at: number): Promise<void>;
  /** As an administrator stops it: it may take its time. */
  stop(at: number): Promise<void>;
  start(at: number): Promise<void>;
  reloadProxy(): void;
  /** What nginx could not do at all, such as to read its configuration again. */
  proxyFaults(): string[];
  /** Runs `playtest` with these words on the machine of the first process; what it printed. Throws when it fails. */
  operate(words: readonly string[]): string;
  /** How to run `playtest` as a client. */
  client: { command: string; args: string[]; env: Record<string, string> };
  end(): Promise<void>;
}

export async function startServers(folder: string, env: Record<string, string>): Promise<Servers> {
  const { ca, cert, key } = certificatesFor(["localhost"]);
  const files = { ca: join(folder, "ca.pem"), cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  for (const [name, text] of Object.entries({ ca, cert, key })) writeFileSync(files[name as keyof typeof files], text);
  const ports = [await freePort(), await freePort()] as const;
  const outer = await freePort();
  const publicUrl = `https://localhost:${outer}`;
  const folders = ["first", "second"].map((name) => join(folder, name));
  for (const place of folders) {
    mkdirSync(place);
    writeFileSync(join(place, "config.json"), JSON.stringify(settings), { mode: 0o600 });
  }
  const plain = { PATH: process.env.PATH!, HOME: folder, NODE_ENV: "production", PLAYTEST_BUILT: "1" };
  const environment = { ...plain, ...env };
  const processes: Program[] = [];

  async function start(at: number): Promise<void> {
    const args = ["serve", "run", "--behind-proxy", "--public-url", publicUrl, "--port", `${ports[at]}`, "--data", folders[at]!];
    const log = `${folders[at]}.log`;
    const started = startProgram(process.execPath, [program, ...args, "--log", "json", "--log-level", "warn"], log, {
      env: environment,
    });
    processes[at] = started;
    await until(`process ${at + 1}, which logs to ${log}, is ready`, async () => {
      return (await fetch(`http://127.0.0.1:${ports[at]}/readyz`)).ok;
    });
  }

  await start(0);
  copyFileSync(join(folders[0]!, "instance.key"), join(folders[1]!, "instance.key"));
  await start(1);
  const upstreams = ports.flatMap((port) => ["--upstream", `127.0.0.1:${port}`]);
  const certificate = ["--certificate", files.cert, "--certificate-key", files.key];
  const operate = (words: readonly string[]) =>
    execFileSync(process.execPath, [program, ...words, "--data", folders[0]!], { encoding: "utf8", env: environment });
  const snippet = operate(["serve", "proxy", "nginx", "--public-url", publicUrl, ...upstreams, ...certificate]);
  const proxy = await startProxy("nginx", snippet, outer, join(folder, "nginx"));

  const stops: Stop[] = [];
  async function end(at: number, signal: NodeJS.Signals): Promise<void> {
    const one = { gently: signal === "SIGTERM", from: performance.now(), until: Number.POSITIVE_INFINITY };
    stops.push(one);
    await processes[at]!.end(signal);
    one.until = performance.now();
  }
  return {
    publicUrl,
    ca,
    adminKey: readFileSync(join(folders[0]!, "admin-key"), "utf8").trim(),
    stops,
    kill: (at) => end(at, "SIGKILL"),
    stop: (at) => end(at, "SIGTERM"),
    start,
    reloadProxy: () => void proxy.kill("SIGHUP"),
    proxyFaults: () =>
      readFileSync(join(folder, "nginx/error.log"), "utf8")
        .split("\n")
        .filter((line) => line.includes("[emerg]")),
    operate,
    client: {
      command: process.execPath,
      args: [program],
      env: { ...plain, PLAYTEST_BASE_URL: publicUrl, NODE_EXTRA_CA_CERTS: files.ca, PLAYTEST_CONFIG_DIR: join(folder, "client") },
    },
    async end() {
      for (const at of [0, 1]) await end(at, "SIGTERM");
      proxy.kill("SIGTERM");
    },
  };
}

/** Three clients of this machine send what a thousand would. */
const settings = {
  limits: { enabled: false },
  playtesters: { maxReserved: 1000 },
  passwords: { scryptLogN: 14 },
};
