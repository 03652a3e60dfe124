/** A word of a shell command: as it is, or in single quotes. */
export const shellWord = (text: string): string => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

type Option = readonly [flag: string, value: string | boolean | undefined];

/** A command with those options that have a value. */
export const commandLine = (start: string, options: readonly Option[]): string =>
  [
    start,
    ...options.flatMap(([flag, value]) => {
      if (value === undefined || value === false || value === "") return [];
      return value === true ? [flag] : [`${flag} ${shellWord(value)}`];
    }),
  ].join(" ");
