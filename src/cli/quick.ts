type Env = Readonly<Record<string, string | undefined>>;

/** What is answered without loading a command: the version, the overview, a completion. Anything else: undefined. */
export async function quick(argv: readonly string[], env: Env, platform: string): Promise<string | undefined> {
  const [first] = argv;
  if (first === "--version" || first === "-V") return `${(await import("./version.ts")).version}\n`;
  if (first === "__complete") {
    const { completionText } = await import("./complete.ts");
    // As lines of a variable, where arguments do not arrive as they were typed; the first is the program.
    if (argv[1] === "--env") return completionText((env.PLAYTEST_WORDS ?? "").split("\n").slice(1), env, platform);
    return completionText(argv.slice(argv[1] === "--" ? 2 : 1), env, platform);
  }
  if (argv.length !== 1 || (first !== "--help" && first !== "-h")) return undefined;
  const [{ overview }, { rootHelp }] = await Promise.all([import("./overview.ts"), import("./root-help.ts")]);
  return rootHelp(overview.groups, overview.tops, overview.shortcuts);
}
