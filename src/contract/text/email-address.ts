/** The address with its domain as mail servers know it: `ada@müller.de` becomes `ada@xn--mller-kva.de`. Others stay as they are. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  if (at < 0 || isAscii(domain) || /[\s/?#:@\\]/.test(domain)) return address;
  try {
    return address.slice(0, at + 1) + new URL(`http://${domain}`).hostname;
  } catch {
    return address;
  }
}

const isAscii = (text: string) => [...text].every((letter) => letter <= "\u007f");

/** The addresses that the API takes. An international top-level domain is written as `withAsciiDomain` does: `рф` as `xn--p1ai`. */
export const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9])$/;
export const longestEmail = 254;

/** Whether the API takes the address, for those who check before they send a request. */
export const isEmailAddress = (address: string): boolean => address.length <= longestEmail && emailPattern.test(address);
