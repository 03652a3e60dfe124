declare module "cli-table3/src/utils.js" {
  const utils: {
    /** Columns a text takes on a terminal. */
    strlen(text: string): number;
  };
  export default utils;
}

declare module "jq-web" {
  /** jq itself, compiled; ready when its memory is. */
  const engine: Promise<{ raw(json: string, filter: string, flags: string[]): string | undefined }>;
  export default engine;
}
