import { access, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { isLoopback, isWebUrl } from "../../api/url.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { shellQuote } from "../../contract/text/shell.ts";
import { CliError, cannotWrite, exitCodes, usage } from "../../errors.ts";
import { makeFolder } from "../../io/files/folder.ts";

import { type Plan, workflows } from "./workflows.ts";

const packageForms =
  "Pass a tarball in this directory, the URL of a tarball or git repository, or a name and version of the npm registry.";
const names = Object.keys(workflows) as (keyof typeof workflows)[];
const ciNames = { github: "GitHub", gitlab: "GitLab", jenkins: "Jenkins" } as const satisfies Record<
  keyof typeof workflows,
  string
>;

/** Quotes a value for a workflow file; refuses characters that a shell, YAML or Groovy could interpret. */
function workflowWord(text: string, label: string, allowed = /^[\w@%+=:,./ -]+$/): string {
  if (!allowed.test(text) || text.startsWith("-"))
    throw usage(`${label}: ${JSON.stringify(text)} contains characters that are not allowed in a workflow file.`);
  return shellQuote(text);
}

/** A command with the placeholder {file}. */
const uploadCommand = /^[\w@%+=:,./{} -]+$/;

/** The address of the instance for the workflow; undefined for one on this machine, which a CI cannot reach. */
function baseUrlOf(ctx: Context): string | undefined {
  const { value } = ctx.settings().get("baseUrl")!;
  return isLoopback(new URL(value).hostname) ? undefined : workflowWord(value, "--base-url");
}

const isLocal = (spec: string) => /^(file:|\.{0,2}\/)/.test(spec) || (/\.t(ar\.)?gz$/.test(spec) && !spec.includes(":"));

/** What npm installs, as a word of the workflow. A file must be in the repository, because the CI has no other. */
async function packageOf(ctx: Context, spec: string | undefined): Promise<Pick<Plan, "package" | "packageInRepository">> {
  if (spec === undefined) return { package: undefined, packageInRepository: false };
  if (!/^[\w@%+=:,./#~^-]+$/.test(spec) || spec.startsWith("-"))
    throw usage(`--package: ${JSON.stringify(spec)} is not something that npm installs.`, packageForms);
  if (!isLocal(spec)) return { package: shellQuote(spec), packageInRepository: false };
  const path = spec.replace(/^file:/, "");
  if (isAbsolute(path) || path.startsWith(".."))
    throw usage(`--package: ${path} is outside of this directory, where a CI cannot read it.`, packageForms);
  await access(join(ctx.io.cwd(), path)).catch(() => {
    throw usage(`--package: the file ${path} does not exist.`, packageForms);
  });
  // npm takes a path without a dot for a name or a repository on GitHub.
  return { package: shellQuote(`./${path.replace(/^\.\//, "")}`), packageInRepository: true };
}

/** What the workflow still lacks. */
function warnings({ baseUrl, package: installed }: Plan, ctx: Context): string[] {
  const address = ctx.settings().get("baseUrl")!.value;
  return [
    ...(baseUrl === undefined
      ? [`${address} is on this machine, where a CI cannot reach it. Set the CI variable PLAYTEST_BASE_URL, or pass --base-url.`]
      : []),
    ...(installed === undefined ? ["Set the CI variable PLAYTEST_PACKAGE to what npm installs, or pass --package."] : []),
  ];
}

const writeNew = (path: string, text: string, force: boolean) =>
  writeFile(path, text, { flag: force ? "w" : "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw cannotWrite(path, error);
    throw new CliError("EXISTS", exitCodes.conflict, `${path} already exists. It was not changed.`, {
      hint: "Preview the workflow with --print, or replace the file with --force.",
    });
  });

export const init = define({
  name: "init",
  summary: "Write a CI workflow that pushes builds, orders playtests and checks the results",
  description:
    "On every push the workflow uploads the build and, if it is new, orders playtests of it. Every six hours it checks the newest playtest and\n" +
    "fails if more than one video was rejected. The API key is read from a CI secret, never from the file.",
  args: {
    ci: arg.choice(names),
    game: {
      ...arg.game(),
      id: {},
      optional: true,
      summary: "Game id or name (default: set by `games use`, else the CI variable PLAYTEST_GAME)",
    },
  },
  flags: {
    build: flag.text("Directory, file or URL to push (default build)", { value: "PATH" }),
    uploadCmd: flag.text("For a server that hosts no builds: what uploads {file} and prints its URL", { value: "CMD" }),
    quantity: flag.integer("Slots to order (default 2)", { min: 1, max: 100 }),
    maxCost: flag.money("Maximum cost of one order (default 50)"),
    package: flag.text(
      "What npm installs: a tarball, a git repository or a registry name (default: the CI variable PLAYTEST_PACKAGE)",
      {
        value: "SPEC",
      },
    ),
    print: flag.toggle("Print the workflow instead of writing it"),
    force: flag.toggle("Replace an existing file"),
  },
  examples: [
    "playtest ci init github --package https://example.com/playtest-cli.tgz",
    "playtest ci init gitlab GAME --build dist --quantity 3 --max-cost 75",
    "playtest ci init jenkins --upload-cmd './upload-build.sh {file}' --print",
  ],
  exits: [6],
  async run({ args, flags }, ctx) {
    const ci = names.find((name) => name === args.ci);
    if (!ci) throw usage(`Unknown CI system ${JSON.stringify(args.ci)}.`, `Supported: ${names.join(", ")}.`);
    const isUrl = isWebUrl(flags.build ?? "");
    if (isUrl && flags.uploadCmd !== undefined)
      throw usage("--upload-cmd uploads a directory or a file, not the URL in --build. Nothing was written.");
    const plan: Plan = {
      game: args.game === undefined ? '"$PLAYTEST_GAME"' : workflowWord(args.game, "game"),
      baseUrl: baseUrlOf(ctx),
      insecure: ctx.flags.insecure === true,
      build: workflowWord(flags.build ?? "build", "--build"),
      uploadCmd: flags.uploadCmd === undefined ? undefined : workflowWord(flags.uploadCmd, "--upload-cmd", uploadCommand),
      labeled: !isUrl && flags.uploadCmd === undefined,
      quantity: flags.quantity ?? 2,
      maxCost: ((flags.maxCost ?? 5000) / 100).toFixed(2),
      ...(await packageOf(ctx, flags.package)),
    };
    const { path, text } = workflows[ci];
    const content = text(plan);
    const result = { ci, path, content, written: !flags.print && !ctx.flags.dryRun };
    if (!result.written) {
      for (const text of warnings(plan, ctx)) ctx.out.warn(text);
      return ctx.verbatim(content, { result });
    }
    const target = join(ctx.io.cwd(), path);
    await makeFolder(dirname(target));
    await writeNew(target, content, flags.force);
    for (const text of warnings(plan, ctx)) ctx.out.warn(text);
    ctx.out.note(
      `Next: create an API key with \`playtest auth keys create\` and add it to ${ciNames[ci]} as the comment in the file says. A server that cannot do that has a website to create keys.`,
    );
    if (plan.uploadCmd === undefined)
      ctx.out.note("For a server that hosts no builds, write the file again with --upload-cmd CMD --force.");
    return ctx.text(`Wrote ${path}.`, { result });
  },
});
