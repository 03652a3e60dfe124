declare module "solc" {
  const solc: { compile(input: string): string };
  export default solc;
}

declare module "*/node-version.mjs" {
  /** Runs npm, which says only what goes wrong. */
  export function npm(args: readonly string[], options: { cwd: string }): void;
  /** Installs a version of Node.js in a folder. Returns the folder of its program. */
  export function installNode(major: number, folder: string): string;
}
