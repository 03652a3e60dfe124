/** A pattern for `LIKE … ESCAPE '!'` that finds a text anywhere. */
const anywhere = (text: string) => `%${text.replace(/[!%_]/g, "!$&")}%`;

/**
 * SQL for whether a column has a text, whatever its case, with the values of `containing`. It is compared as it is written, too: in a
 * PostgreSQL database with the locale C, LOWER knows only ASCII letters.
 */
export const contains = (column: string) => `(LOWER(${column}) LIKE ? ESCAPE '!' OR ${column} LIKE ? ESCAPE '!')`;
export const containing = (text: string): [lower: string, written: string] => [anywhere(text.toLowerCase()), anywhere(text)];
