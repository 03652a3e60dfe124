let names: Intl.DisplayNames | undefined;

/** Codes that are registered for something else than a country. */
const others = new Set(["ZZ", "XA", "XB", "EU", "EZ", "UN", "QO"]);

/** The code (ISO 3166-1) of the country that a code means: `DE` for `DE`, `GB` for `UK`. Undefined if it means none. */
export function countryOf(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  const known = new Intl.Locale(`und-${code}`).region;
  return known === undefined || others.has(known) || countryName(known) === known ? undefined : known;
}

/** The English name of a country. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames("en", { type: "region" });
  return names.of(code) ?? code;
}

let all: { code: string; name: string }[] | undefined;

/** Every country, by the English name. */
export function countries(): readonly { code: string; name: string }[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  all ??= codes
    .filter((code) => countryOf(code) === code)
    .map((code) => ({ code, name: countryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
  return all;
}
