import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { mutants } from "./mutants/guards.ts";

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

const importPattern = /(?:^|\n)\s*(?:import|export)(\s+type)?\s([^;]*?)from\s+"([^"]+)"|\bimport\("([^"]+)"\)/g;
const onlyTypes = (names: string) => /^\{\s*type [^,]+(,\s*type [^,]+)*,?\s*\}\s*$/.test(names);

const imports: Import[] = source.flatMap((from) =>
  [...textOf.get(from)!.matchAll(importPattern)].map(([, type, names, fixed, dynamic]) => {
    const target = (fixed ?? dynamic)!;
    const to = target.startsWith(".") ? relative(root, resolve(root, dirname(from), target)) : target;
    return { from, to, dynamic: dynamic !== undefined, typeOnly: type !== undefined || onlyTypes(names ?? "") };
  }),
);

const local = imports.filter(({ to }) => /^(src|server)\//.test(to));
const outside = imports.filter(({ to }) => !/^(src|server)\//.test(to) && !to.startsWith("node:"));
const broken = (rule: (one: Import) => boolean, among = imports) => among.filter(rule).map(({ from, to }) => `${from} → ${to}`);

/** Each third-party package belongs to one folder (the contract's zod is the whole project's). */
const homes: Record<string, RegExp> = {
  zod: /^(src\/contract|server\/)/,
  commander: /^src\/cli\/parse\.ts$/,
  undici: /^(src\/api|server\/outbound)\//,
  conf: /^src\/config\//,
  "@napi-rs/keyring": /^src\/config\//,
  ora: /^src\/io\//,
  "cli-table3": /^src\/io\//,
  "jq-web": /^src\/io\//,
  ignore: /^src\/io\/files\//,
  "tar/parse": /^src\/io\/files\//,
  "tar/read-entry": /^src\/io\/files\//,
  "@zip.js/zip.js/lib/zip-core-writer.js": /^src\/io\/files\//,
  "@inquirer/prompts": /^src\/io\//,
  "better-sqlite3": /^server\/database\/sqlite\//,
  pg: /^server\/database\/postgres\//,
  pino: /^server\/lib\/log\.ts/,
  nodemailer: /^server\/mail\//,
  stripe: /^server\/billing\/cards\//,
  "@modelcontextprotocol/server": /^server\/mcp\/protocol\//,
  "@tus/server": /^server\/uploads\//,
  mediabunny: /^(src\/io\/files|server\/web\/assets)\//,
  "temporal-polyfill": /^src\/contract\/time\//,
  "csv-parse": /^src\/contract\/files\//,
  "tus-js-client": /^(src\/api|server\/web\/assets)\//,
  // A devDependency: only a checkout bundles at run time.
  esbuild: /^server\/web\/scripts\.ts$/,
  marked: /^src\/help\//,
  "@noble/curves": /^server\/billing\/crypto\/signatures\//,
  "@noble/hashes": /^server\/(billing\/crypto\/signatures|web\/assets)\//,
  "@orama/stemmers": /^(src\/commands\/shared\/words|server\/search)\//,
  "@orama/stopwords": /^src\/commands\/shared\/words\//,
  "@simplewebauthn/server": /^server\/accounts\/passkeys\//,
  bowser: /^server\/accounts\//,
  otpauth: /^server\/accounts\/factors\//,
  uqr: /^(src\/io|server\/web\/shared)\//,
  uuid: /^(server\/lib\/ids\.ts|src\/(cli\/outside|main)\.ts)/,
};

/** The rooms of the server in the order of their imports: each imports only from itself and from those before it. */
const rooms = (
  "lib config outbound database jobs search mail ledger audit accounts http games events billing playtests transcripts uploads sharing trackers chat admin " +
  "personal inbox sandbox operations metrics oauth web mcp app"
).split(" ");
const roomOf = (file: string) => /^server\/([^/]+)\//.exec(file)?.[1];
/** A type of the app's dependencies, of a transaction or of the HTTP layer's call may be named anywhere: it is what every room is handed. */
const handedToAll = /^server\/(app\/(deps|tx)|http\/call)\.ts$/;

/** The list of the commands names where each is loaded from, and the commands `help` and `schema` show the list. */
const listsNoCommand = ({ from, dynamic }: Import) => !(dynamic && from === "src/cli/groups.ts");

/** Pure rules: nothing but the contract and each other. */
const pureFiles =
  /^(server\/(.*\/)?([a-z]+-)?rules\.ts|server\/lib\/(addresses|money|time)\.ts|server\/mail\/(texts|links|style)\.ts|server\/events\/(notices|team-texts|webhooks\/(schedule|signature))\.ts|server\/billing\/(crypto\/(x402|proving\/message)|subscriptions\/plans)\.ts|server\/playtests\/(pricing|schedule\/(calendar|mails)|slots\/(eligibility|mails))\.ts|src\/errors\.ts|src\/io\/text\.ts|src\/api\/retry\.ts)$/;

/** SQL stands in the stores, in the database's own folder, and where whole tables are copied or checked. */
const sqlFiles =
  /^server\/(database\/|(.*\/)?([a-z]+-)*store\.ts|ledger\/(checks|([a-z]+-)?check-queries)\.ts|operations\/archive\/rows\.ts)/;

describe("imports", () => {
  it("the contract imports zod, itself, node's net, what knows time zones and reads tables, and the types of the library that it is handed", () => {
    const isAllowed = ({ to, typeOnly }: Import) =>
      ["zod", "node:net", "temporal-polyfill", "csv-parse/sync", "yaml"].includes(to) ||
      to.startsWith("src/contract/") ||
      (typeOnly && to === "mediabunny");
    expect(broken((one) => one.from.startsWith("src/contract/") && !isAllowed(one))).toEqual([]);
  });

  it("pure rules import only the contract, other rules, and node's crypto and net", () => {
    const allowed = /^(src\/contract\/|server\/config\/|node:crypto|node:net)/;
    expect(
      broken(({ from, to, typeOnly }) => pureFiles.test(from) && !typeOnly && !allowed.test(to) && !pureFiles.test(to)),
    ).toEqual([]);
  });

  it("a room of the server imports only from rooms before it", () => {
    const later = ({ from, to, typeOnly }: Import) => {
      const [own, other] = [roomOf(from), roomOf(to)];
      if (own === undefined || (typeOnly && handedToAll.test(to))) return false;
      if (other === undefined) return true;
      return rooms.indexOf(other) > rooms.indexOf(own);
    };
    expect(
      broken(
        later,
        local.filter(({ to }) => to.startsWith("server/")),
      ),
    ).toEqual([]);
  });

  it("the server takes only the contract and, for its documentation, the help topics from the client's side", () => {
    const help = /^src\/help\/(document|list|markdown|topics)\.ts$/;
    expect(
      broken(
        ({ from, to }) =>
          from.startsWith("server/") &&
          !to.startsWith("src/contract/") &&
          !(from.startsWith("server/web/docs/") && help.test(to)),
        local.filter(({ to }) => to.startsWith("src/")),
      ),
    ).toEqual([]);
  });

  it("the client reaches the server only by the dynamic imports of `serve`, `studio`, `mcp` and reports as PDF", () => {
    expect(
      broken(
        ({ from, to, dynamic, typeOnly }) =>
          from.startsWith("src/") &&
          to.startsWith("server/") &&
          !typeOnly &&
          !(dynamic && /^src\/commands\/(serve\/|mcp\/|root\/studio\.ts$|review\/report\/pdf\.ts$)/.test(from)),
      ),
    ).toEqual([]);
  });

  it("helpers of tests register no hook at their top, where only the first file of a process would get it", () => {
    const hook = /^(before|after)(Each|All)\(/m;
    expect(typescript.filter((file) => file.startsWith("test/helpers/") && hook.test(textOf.get(file)!))).toEqual([]);
  });

  it("handlers use no HTTP", () => {
    expect(broken(({ from, to }) => /^server\/.*handlers\.ts$/.test(from) && to === "node:http")).toEqual([]);
  });

  it("SQL stands in stores only", () => {
    const sql = /\b(SELECT\s.*\sFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\s+\w+/;
    expect(source.filter((file) => file.startsWith("server/") && !sqlFiles.test(file) && sql.test(textOf.get(file)!))).toEqual(
      [],
    );
  });

  it("pages reach the server's data only by operations: they import no store, no handlers and no deps", () => {
    const isPage = /^server\/web\/(account|pages|portal|studio|shared|sign-in)\//;
    const closed = /^server\/(app\/|database\/|.*\b(store|handlers)\.ts$)/;
    expect(broken(({ from, to }) => isPage.test(from) && closed.test(to))).toEqual([]);
  });

  it("no command knows the list of commands but those in src/commands/help", () => {
    const lists = /^src\/cli\/(groups|tree|program|complete|find|quick|help\/\w+)\.ts$/;
    expect(broken(({ from, to }) => /^src\/commands\/(?!help\/)/.test(from) && lists.test(to))).toEqual([]);
  });

  it("no file imports itself over others, not even for a type", () => {
    const targets = new Map<string, string[]>(source.map((file) => [file, []]));
    for (const { from, to } of local.filter(listsNoCommand)) targets.get(from)?.push(to);
    const reached = (from: string, seen = new Set<string>()): Set<string> => {
      for (const to of targets.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to));
      return seen;
    };
    expect(source.filter((file) => reached(file).has(file))).toEqual([]);
  });

  /** The build evaluates these and ships their values, without what they import. */
  const data = /^(src\/(contract\/(static|openapi\/shapes)|help\/topics|cli\/(version|tree|help\/overview)))\.ts$/;

  /** The files and packages that are loaded with any of these. */
  const loadedWith = (...entries: string[]) => {
    const loaded = new Set(entries);
    for (const file of loaded)
      for (const { from, to, dynamic, typeOnly } of data.test(file) ? [] : imports)
        if (from === file && !dynamic && !typeOnly) loaded.add(to);
    return [...loaded];
  };

  it("the server starts without what lib/late.ts loads afterwards", () => {
    const afterwards =
      /^(server\/(mcp\/|web\/((account|docs|pages|portal|studio|assets)\/|scripts\.ts)|uploads\/(index|tus)\.ts|sandbox\/sample-video\.ts)|src\/help\/|@tus\/|@modelcontextprotocol\/|@fastify\/busboy)/;
    expect(loadedWith("server/main.ts").filter((file) => afterwards.test(file))).toEqual([]);
  });

  it("commands start without the field rules of the contract, and so without zod", () => {
    const commands = source.filter((file) => file.startsWith("src/commands/"));
    expect(loadedWith("src/main.ts", ...commands)).not.toContain("src/contract/fields.ts");
  });

  it("commands of one noun do not import another's", () => {
    const noun = (path: string) => /^src\/commands\/(?!shared\/)([^/]+)\//.exec(path)?.[1];
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
    const entries = /^(server\/(main|.*-thread|web\/assets\/\w+)\.ts|src\/(index|main)\.ts)$/;
    const used = new Set(local.map(({ to }) => to));
    expect(source.filter((file) => !used.has(file) && !entries.test(file))).toEqual([]);
  });
});

describe("what stands nowhere", () => {
  /** What runs in a browser has its clock, and reaches this server alone. */
  const inBrowser = /^server\/web\/assets\//;
  const roots = /^(server\/main\.ts|src\/main\.ts|src\/cli\/outside\.ts|bin\/)/;
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
      where: (file) => /^(src|server)\//.test(file) && !roots.test(file) && !inBrowser.test(file),
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
        /\b(fetch|tracedFetch)\(|import\("undici"\)|\bfrom "(undici|node:https|node:tls|node:http2|node:dgram)"|\b(connect|createConnection|httpRequest)\(\{? ?(host|port)/,
      where: (file) =>
        file.startsWith("server/") &&
        !inBrowser.test(file) &&
        // app/port.ts asks the server's own port before it is opened; the other two are the way in.
        !/^server\/(outbound\/|app\/(port|listen|certificate)\.ts|mail\/smtp\.ts|uploads\/s3\/client\.ts|billing\/cards\/stripe\.ts|billing\/crypto\/chains\/)/.test(
          file,
        ),
    },
    {
      name: "the name of a database driver outside server/database",
      pattern: /["'`.](sqlite|postgres)\b/,
      where: (file) => file.startsWith("server/") && !file.startsWith("server/database/"),
    },
    {
      name: "the name of a card processor outside server/billing/cards and the registry of their settings",
      pattern: /["'`.]stripe\b/,
      where: (file) => /^server\/(?!billing\/cards\/|config\/card-processors\.ts)/.test(file),
    },
    {
      name: "the address of a page beside src/contract/pages/addresses.ts",
      pattern:
        /^(?!\s*(\/?\*|\/\/)).*["'`}]\/(play|studio|docs|watch|share|checkout|todo|invite|verify-email|change-email|reset-password|unsubscribe)["'`/?#]/m,
      // Scripts of pages get addresses from their markup.
      where: (file) => file.startsWith("server/") && !file.startsWith("server/web/assets/"),
    },
    {
      name: "an import of zod of which the build could leave nothing out",
      pattern: /import \{ z \} from "zod"/,
      where: (file) => /^(src|server)\//.test(file),
    },
    { name: "a silenced type", pattern: /@ts-(ignore|expect-error|nocheck)/, where: (file) => file !== "test/tidy.test.ts" },
    {
      name: "an any without a reason",
      pattern: /(?<!biome-ignore lint\/suspicious\/noExplicitAny: [^\n]+\n[^\n]*)(: any\b|as any\b|<any>)/,
      where: (file) => file !== "test/tidy.test.ts",
    },
    {
      name: "a path outside the project",
      pattern: /\/work\/|\.\.\/shared\/(spec|design|hooks)/,
      where: (file) => file !== "test/tidy.test.ts",
    },
  ];
  it.each(rows)("$name", ({ pattern, where }) => {
    expect(typescript.filter((file) => where(file) && pattern.test(textOf.get(file)!))).toEqual([]);
  });
});

describe("layout", () => {
  it("has the top level everyone expects", () => {
    const allowed =
      /^(package\.json|package-lock\.json|tsconfig\.json|bin|decisions|src|server|test|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|Dockerfile|\..+)$/;
    expect([...new Set(tracked.map((file) => file.split("/")[0]!))].filter((name) => !allowed.test(name))).toEqual([]);
  });

  it("keeps no loose file in server/ but main.ts, and in src/ but main, index and errors", () => {
    expect(source.filter((file) => /^server\/[^/]+$/.test(file) && file !== "server/main.ts")).toEqual([]);
    expect(source.filter((file) => /^src\/[^/]+$/.test(file) && !/^src\/(main|index|errors)\.ts$/.test(file))).toEqual([]);
  });

  it("knows every room of the server", () => {
    expect([...new Set(source.flatMap((file) => roomOf(file) ?? []))].sort()).toEqual([...rooms].sort());
  });

  it("keeps folders small enough to read: at most 24 files each", () => {
    const counts = new Map<string, number>();
    for (const file of source) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    // Migrations are added and never changed: nobody reads all of them.
    expect([...counts].filter(([folder, count]) => count > 24 && !folder.endsWith("database/migrations"))).toEqual([]);
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

it("a question before a command acts states nothing that no test quotes and checks", () => {
  const asked = [...textOf]
    .filter(([file]) => file.startsWith("src/commands/"))
    .flatMap(([file, text]) =>
      [...text.matchAll(/\bconfirm: [^`"]*?[`"](.*?)[`"]/g)].map(([, question]) => [file, question!] as const),
    );
  const tests = [...textOf].filter(([file]) => file.endsWith(".test.ts")).map(([, text]) => text.replace(/\s+/g, " "));
  const sentences = asked.flatMap(([file, question]) =>
    question
      .split(/\$\{[^}]*\}|(?<=[.?]) /)
      .map((sentence) => sentence.trim())
      .filter((sentence) => /^\w+ .*\.$/.test(sentence))
      .map((sentence) => ({ file, sentence })),
  );
  expect(sentences.length).toBeGreaterThan(10);
  expect(sentences.filter(({ sentence }) => !tests.some((text) => text.includes(sentence)))).toEqual([]);
});

it("no test has a shorter limit of time than the default, which a busy machine needs", () => {
  const limits = [
    /testTimeout: ([\d_]+)/g,
    /\{ timeout: ([\d_]+) \}, (?:async )?\(/g,
    /^\s*\}, ([\d_]{4,})\);$/gm,
    /^\s*\{ timeout: ([\d_]+) \},\n/gm,
  ];
  const shorter = [...textOf]
    .filter(([file]) => file.endsWith(".test.ts"))
    .flatMap(([file, text]) => limits.flatMap((limit) => [...text.matchAll(limit)].map(([, ms]) => [file, ms!] as const)))
    .filter(([, ms]) => Number(ms.replaceAll("_", "")) <= 240_000);
  expect(shorter).toEqual([]);
});
