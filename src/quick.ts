type Env = Readonly<Record<string, string | undefined>>;

/** What is answered without loading a command: the version, the overview, a completion. Anything else: undefined. */
export async function quick(argv: readonly string[], env: Env, platform: string): Promise<string | undefined> {
  const [first] = argv;
  if (first === "--version" || first === "-V") return `${(await import("./version.ts")).version}\n`;
  if (first === "__complete") {
    const { completionText } = await import("./complete.ts");
    // PowerShell drops an empty argument: --next stands for it.
    const next = argv[1] === "--next";
    const words = argv.slice(next ? 2 : 1);
    return completionText([...(words[0] === "--" ? words.slice(1) : words), ...(next ? [""] : [])], env, platform);
  }
  if (argv.length !== 1 || (first !== "--help" && first !== "-h")) return undefined;
  const [{ overview }, { rootHelp }] = await Promise.all([import("./overview.ts"), import("./root-help.ts")]);
  return rootHelp(overview.groups, overview.tops, overview.shortcuts);
}
