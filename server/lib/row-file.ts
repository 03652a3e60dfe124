const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of a row, as part of the name of a file. Throws for anything but a UUID: the rows of a restored archive may come from somebody
 * else, and a path among their ids would lead to other files of this machine.
 */
export function fileIdOf(id: string): string {
  if (!uuid.test(id)) throw new Error(`${JSON.stringify(id)} is not the id of a row: no file was touched`);
  return id;
}
