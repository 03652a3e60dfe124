type Env = Readonly<Record<string, string | undefined>>;

/** Answers `--version`, `--help` and completion requests without loading a command. Undefined for anything else. */
export async function quick(argv: readonly string[], env: Env, platform: string): Promise<string | undefined> {
  const [first] = argv;
  if (first === "--version" || first === "-V") return `${(await import("./version.ts")).version}\n`;
  if (first === "__complete") {
    const { completionText } = await import("./complete.ts");
    // PowerShell passes the words as lines of a variable, because arguments would be requoted. The first is the program.
    if (argv[1] === "--env") return completionText((env.PLAYTEST_WORDS ?? "").split("\n").slice(1), env, platform);
    return completionText(argv.slice(argv[1] === "--" ? 2 : 1), env, platform);
  }
  if (argv.length !== 1 || (first !== "--help" && first !== "-h")) return undefined;
  return (await import("./help/root.ts")).rootHelp();
}
