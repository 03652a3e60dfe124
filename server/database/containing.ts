/** A pattern for `LIKE … ESCAPE '!'` that finds a text anywhere. For whatever case it is in, compare with `LOWER(column)`. */
export const containing = (text: string) => `%${text.toLowerCase().replace(/[!%_]/g, "!$&")}%`;
