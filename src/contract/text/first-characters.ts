/** The first `max` characters of a text, counted as the API does: half an emoji, which `slice` may leave, is refused. */
export const firstCharacters = (text: string, max: number): string =>
  // No character is longer than two of the units that `slice` counts.
  [...text.slice(0, 2 * max)].slice(0, max).join("");
