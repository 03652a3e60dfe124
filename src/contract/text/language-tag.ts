/** The tag of a language in its usual spelling, such as `pt-BR` for `PT-br`. Undefined if it is none. */
export const languageTag = (value: string): string | undefined => {
  try {
    return /^[A-Za-z]{2,3}(-|$)/.test(value) ? Intl.getCanonicalLocales(value)[0] : undefined;
  } catch {
    return undefined;
  }
};
