import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { mutants } from "./mutants/rules/index.ts";

/** The rules of the layout, as tests: who may import whom, and what may stand nowhere. */
const root = join(import.meta.dirname, "..");
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));
const typescript = tracked.filter((file) => /^(src|server|test|bin)\/.*\.ts$/.test(file) && !file.endsWith(".d.ts"));
const source = typescript.filter((file) => /^(src|server)\//.test(file));
const textOf = new Map(typescript.map((file) => [file, readFileSync(join(root, file), "utf8")]));

interface Import {
  from: string;
  to: string;
  dynamic: boolean;
  typeOnly: boolean;
}

const importPattern = /(?:^|\n)\s*(import|export)(\s+type)?\s[^;]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)/g;

const imports: Import[] = source.flatMap((from) =>
  [...textOf.get(from)!.matchAll(importPattern)].map(([, , type, fixed, dynamic]) => {
    const target = (fixed ?? dynamic)!;
    const to = target.startsWith(".") ? relative(root, resolve(root, dirname(from), target)) : target;
    return { from, to, dynamic: dynamic !== undefined, typeOnly: type !== undefined };
  }),
);

const local = imports.filter(({ to }) => /^(src|server)\//.test(to));
const outside = imports.filter(({ to }) => !/^(src|server)\//.test(to) && !to.startsWith("node:"));
const broken = (rule: (one: Import) => boolean, among = imports) => among.filter(rule).map(({ from, to }) => `${from} → ${to}`);

/** Each third-party package belongs to one folder (the contract's zod is the whole project's). */
const homes: Record<string, RegExp> = {
  zod: /^(src\/contract|server\/)/,
  commander: /^src\/parse\.ts$/,
  undici: /^(src\/api|server\/outbound)\//,
  conf: /^src\/config\//,
  ora: /^src\/io\//,
  "cli-table3": /^src\/io\//,
  "jq-web": /^src\/io\//,
  "@inquirer/prompts": /^src\/io\//,
  "better-sqlite3": /^server\/store\//,
  pg: /^server\/store\//,
  pino: /^server\/log\.ts/,
  nodemailer: /^server\/providers\/mail\//,
  stripe: /^server\/providers\/cards\//,
  "@tus/server": /^server\/uploads\//,
  "@tus/file-store": /^server\/uploads\//,
  uuid: /^(server\/ids\.ts|src\/(outside|main)\.ts)/,
};

describe("imports", () => {
  it("the contract imports zod and itself", () => {
    expect(broken(({ from, to }) => from.startsWith("src/contract/") && to !== "zod" && !to.startsWith("src/contract/"))).toEqual(
      [],
    );
  });

  it("pure code touches nothing outside", () => {
    const pure = /^(server\/domain\/|src\/errors\.ts|src\/io\/text\.ts|src\/api\/retry\.ts)/;
    const allowed = /^(server\/domain\/|src\/contract\/|src\/errors\.ts|server\/config\.ts|node:crypto|node:net)/;
    expect(broken(({ from, to, typeOnly }) => pure.test(from) && !typeOnly && !allowed.test(to))).toEqual([]);
  });

  it("the server takes only the contract from the client's side", () => {
    expect(
      broken(
        ({ from, to }) => from.startsWith("server/") && !to.startsWith("src/contract/"),
        local.filter(({ to }) => to.startsWith("src/")),
      ),
    ).toEqual([]);
  });

  it("the client reaches the server only by the dynamic imports of `serve`", () => {
    expect(
      broken(
        ({ from, to, dynamic, typeOnly }) =>
          from.startsWith("src/") &&
          to.startsWith("server/") &&
          !typeOnly &&
          !(dynamic && from.startsWith("src/commands/serve/")),
      ),
    ).toEqual([]);
  });

  it("handlers speak no HTTP and no SQL", () => {
    expect(broken(({ from, to }) => from.startsWith("server/handlers/") && to === "node:http")).toEqual([]);
    const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+\w+/;
    expect(source.filter((file) => file.startsWith("server/handlers/") && sql.test(textOf.get(file)!))).toEqual([]);
  });

  it("commands of one noun do not import another's", () => {
    const noun = (path: string) => /^src\/commands\/([^/]+)\//.exec(path)?.[1];
    expect(
      broken(({ from, to }) => noun(from) !== undefined && noun(to) !== undefined && noun(from) !== noun(to), local),
    ).toEqual([]);
  });

  it.each(Object.entries(homes))("%s stays in its folder", (name, home) => {
    expect(
      broken(({ from, to, typeOnly }) => (to === name || to.startsWith(`${name}/`)) && !typeOnly && !home.test(from), outside),
    ).toEqual([]);
  });

  it("every file is imported or is an entry", () => {
    const entries = /^(server\/main\.ts|src\/(index|main)\.ts)$/;
    const used = new Set(local.map(({ to }) => to));
    expect(source.filter((file) => !used.has(file) && !entries.test(file))).toEqual([]);
  });
});

describe("what stands nowhere", () => {
  const roots = /^(server\/main\.ts|src\/main\.ts|src\/outside\.ts|bin\/)/;
  const rows: { name: string; pattern: RegExp; where: (file: string) => boolean }[] = [
    { name: "process.exit", pattern: /process\.exit\(/, where: (file) => /^(src|server)\//.test(file) },
    { name: "console", pattern: /\bconsole\.\w/, where: (file) => /^(src|server)\//.test(file) },
    {
      name: "the process's own environment",
      pattern: /process\.env/,
      where: (file) => /^(src|server)\//.test(file) && !roots.test(file),
    },
    {
      name: "the machine's clock",
      pattern: /Date\.now\b|new Date\(\)/,
      where: (file) => /^(src|server)\//.test(file) && !roots.test(file),
    },
    {
      name: "unseeded chance",
      pattern: /Math\.random|randomUUID/,
      where: (file) => /^(src|server)\//.test(file) && !roots.test(file),
    },
    {
      name: "a skipped or focused test",
      pattern: /\b(it|test|describe)\.(skip|only|todo|fails)\b|\bxit\(/,
      where: (file) => file.startsWith("test/") && file !== "test/tidy.test.ts",
    },
    {
      name: "a way out of the server beside the guarded client and the configured providers",
      pattern:
        /\bfetch\(|import\("undici"\)|\bfrom "(undici|node:https|node:tls|node:http2|node:dgram)"|\b(connect|createConnection|httpRequest)\(\{? ?(host|port)/,
      where: (file) => file.startsWith("server/") && !/^server\/(outbound|providers)\//.test(file),
    },
    { name: "a silenced type", pattern: /@ts-(ignore|expect-error|nocheck)/, where: (file) => file !== "test/tidy.test.ts" },
    {
      name: "an any without a reason",
      pattern: /(?<!biome-ignore lint\/suspicious\/noExplicitAny: [^\n]+\n[^\n]*)(: any\b|as any\b|<any>)/,
      where: (file) => file !== "test/tidy.test.ts",
    },
    { name: "a path outside the project", pattern: /\/work\/|\.\.\/shared/, where: (file) => file !== "test/tidy.test.ts" },
  ];
  it.each(rows)("$name", ({ pattern, where }) => {
    expect(typescript.filter((file) => where(file) && pattern.test(textOf.get(file)!))).toEqual([]);
  });
});

describe("layout", () => {
  it("has the top level everyone expects", () => {
    const allowed =
      /^(package\.json|package-lock\.json|tsconfig\.json|bin|src|server|test|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|Dockerfile|\..+)$/;
    expect([...new Set(tracked.map((file) => file.split("/")[0]!))].filter((name) => !allowed.test(name))).toEqual([]);
  });

  it("keeps files small enough to read", () => {
    expect(source.filter((file) => textOf.get(file)!.split("\n").length > 400)).toEqual([]);
  });
});

it("mutants replace texts that stand once in their files, so that none goes stale unseen", () => {
  const stale = mutants.flatMap(({ rule, edits }) => {
    const texts = new Map(edits.map(([file]) => [file, readFileSync(join(root, file), "utf8")]));
    return edits.flatMap(([file, from, to]) => {
      const [before, after, ...more] = texts.get(file)!.split(from);
      if (after === undefined || more.length > 0) return [`${rule}: ${file}: ${from}`];
      texts.set(file, before + to + after);
      return [];
    });
  });
  expect(stale).toEqual([]);
});
