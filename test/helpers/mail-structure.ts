import type { MailContent } from "../../server/mail/texts.ts";

/** Connecting a video platform has no page. */
const commands =
  /\bplaytest (?!admin publishing connect)(?:admin|applications|approvals|auth|billing|chat|games|notifications|playtests|review|webhooks) [a-z-]/;

/** Not within a token of a link or a key, whose random letters can spell "NaN". */
const missing = /(?<![\w-])(?:undefined|NaN|null)(?![\w-])|\[object/;

/** What an email lacks that every email has, for emails that the server composed. */
export function mailProblems({ subject, text, html }: Pick<MailContent, "subject" | "text"> & { html: string | null }): string[] {
  if (!html?.startsWith("<!doctype")) return [];
  const found: [lacking: boolean, problem: string][] = [
    [!/<div class="preview" style="display:none[^>]*>(?!&#847;)[^<\s]/.test(html), "no preview line"],
    [!html.includes('<meta name="color-scheme" content="light dark">'), "no color schemes"],
    [!html.includes("prefers-color-scheme:dark"), "no dark styles"],
    [!/<p style="font-weight:700">(?:<img [^>]*> )?[^<]/.test(html), "no name of the site in the HTML"],
    [commands.test(`${subject}\n${text}`), "a shell command"],
    [/\d{4}-\d\d-\d\dT|\d{4}-\d\d-\d\d \d\d:\d\d(?!, [A-Z])/.test(`${subject}\n${text}`), "a time without its zone"],
    [missing.test(`${subject}\n${text}`), "a missing value"],
  ];
  return found.filter(([lacking]) => lacking).map(([, problem]) => `“${subject}”: ${problem}`);
}
