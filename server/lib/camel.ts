/** The name of a column as the API writes it: `created_at` is `createdAt`. */
export const camel = (column: string): string => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
