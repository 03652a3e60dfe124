declare module "cli-table3/src/utils.js" {
  /** Columns a text takes on a terminal. */
  export function strlen(text: string): number;
}
