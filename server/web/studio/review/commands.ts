import { shellQuote } from "../../../../src/contract/text/shell.ts";

type Option = readonly [flag: string, value: string | boolean | undefined];

/** A command with those options that have a value. */
export const commandLine = (start: string, options: readonly Option[]): string =>
  [
    start,
    ...options.flatMap(([flag, value]) => {
      if (value === undefined || value === false || value === "") return [];
      return value === true ? [flag] : [`${flag} ${shellQuote(value)}`];
    }),
  ].join(" ");
