declare module "cli-table3/src/utils.js" {
  const utils: {
    /** Columns a text takes on a terminal. */
    strlen(text: string): number;
  };
  export default utils;
}
