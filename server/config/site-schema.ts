import * as z from "zod";
import { described, integer, isHostName, isWebUrl, list, matching, orNull, plainText } from "./fields.ts";

/** Who may join a server, and how it presents itself. */

const invitations = z.strictObject({
  validDays: integer("How long the link of an invitation works.", 14, 1, 365, "days"),
});

const webAddress = (description: string) =>
  orNull(matching(isWebUrl), description, { expected: "an http:// or https:// URL, or null" });

const brand = z.strictObject({
  name: orNull(plainText(60), "Name of this server on its pages and in emails. Null: playtest.", {
    expected: "a string of 1 to 60 characters, or null",
  }),
  logo: orNull(
    z.string().min(1),
    "Picture shown beside the name on pages and in emails: PNG, JPEG, WebP or SVG, at most 256 KiB. Invoices and statements have it if it is PNG or JPEG. A relative path starts in the data directory.",
    { expected: "a path, or null" },
  ),
  color: orNull(
    matching((text) => /^#[0-9a-f]{6}$/i.test(text)),
    "Color of buttons and links. It is made darker or lighter where it could not be read. Null: blue.",
    { expected: "a color such as #1d5fd1, or null" },
  ),
  sender: orNull(
    matching((text) => text.length <= 60 && /^[^"<>@\\\p{Cc}]+$/u.test(text)),
    "Name that emails come from, with the address of mail.from. Null: the name in mail.from.",
    { expected: 'a string of at most 60 characters without ", <, >, @ and \\, or null' },
  ),
  termsUrl: webAddress("Terms of use. They are linked on every page, and where accounts are created."),
  privacyUrl: webAddress("Privacy policy. It is linked on every page, and where accounts are created."),
});

export const site = {
  brand: described(brand.prefault({}), "Brand"),
  invitations: described(invitations.prefault({}), "Invitations"),
  registration: described(
    z.enum(["open", "invite", "closed"]).default("open"),
    "Who can create an account: everybody, only those whom an administrator invites (`playtest admin invite`), or nobody.",
    { variable: "PLAYTEST_REGISTRATION" },
  ),
  allowedDomains: list(
    matching(isHostName),
    "Domains of the email addresses that accounts are created with or changed to. Empty: all. An administrator can invite any address.",
    { variable: "PLAYTEST_ALLOWED_DOMAINS", expected: "a list of domains, such as studio.example" },
  ),
};
