/** How a site presents itself in its emails. */
export interface Look {
  name: string;
  logoUrl: string | null;
  color: string;
  /** The color of text on `color`. */
  ink: string;
}

/**
 * The look of emails. The light styles are inline, because many mail programs remove style sheets. Those that keep them show the dark styles
 * to readers who prefer them; the classes name what they change.
 */
export const page =
  "margin:0;padding:24px 12px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,-apple-system,Segoe UI,sans-serif";
export const card =
  "max-width:560px;margin:0 auto;padding:8px 28px 16px;background:#fff;border-radius:8px;overflow-wrap:anywhere";
export const small = "font-size:13px;color:#52525b";
export const entry = "margin-top:16px;padding-top:12px;border-top:1px solid #e4e4e7";
export const entryLink = "color:#1d4ed8";
export const button = ({ color, ink }: Look) =>
  `display:inline-block;padding:10px 20px;background:${color};color:${ink};border-radius:6px;text-decoration:none`;
/** Text that only the list of a mail program shows. */
export const hidden = "display:none;max-height:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px";

const dark = [
  "body{background:#18181b!important;color:#f4f4f5!important}",
  ".card{background:#27272a!important}",
  ".small{color:#d4d4d8!important}",
  ".entry{border-color:#52525b!important}",
  ".link{color:#93c5fd!important}",
].join("");

/** What the head of every email says about its colors. */
export const colorSchemes = `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${dark}}</style>`;
