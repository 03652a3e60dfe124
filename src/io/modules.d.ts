declare module "cli-table3/src/utils.js" {
  const utils: {
    /** Width of a text on a terminal, in columns. */
    strlen(text: string): number;
  };
  export default utils;
}

declare module "jq-web" {
  /** jq compiled to WebAssembly. Resolves when it is loaded. */
  const engine: Promise<{ raw(json: string, filter: string, flags: string[]): string | undefined }>;
  export default engine;
}
