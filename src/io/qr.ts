/** QR code versions up to this fit into 80 columns: 73 modules and the margin. */
const largest = 14;
const margin = 2;

/**
 * The QR code of a text for a terminal: half blocks, two modules to a character, light modules drawn. With `colored` it is white on black
 * whatever colors the terminal has, because a camera needs dark modules on a light background. Undefined if it is wider than 80 columns.
 */
export async function qrText(text: string, colored: boolean): Promise<string | undefined> {
  const { encode, renderUnicodeCompact } = await import("uqr");
  const options = { ecc: "L", boostEcc: false, border: margin } as const;
  if (encode(text, options).version > largest) return undefined;
  const rows = renderUnicodeCompact(text, options).split("\n");
  return rows.map((row) => (colored ? `\u001b[97;40m${row}\u001b[0m` : row)).join("\n");
}
