import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { message, text, timestamp } from "../fields.ts";

/** The key must be able to manage its account, which depends on the account: see the description of each operation. */
const own = { access: "any", extension: true } as const;

const description = "Six digits from the authenticator app, or a recovery code.";

export const codeField = () => text(64, 1).meta({ description });

/** Where a code is needed only if the account has a second factor. */
export const optionalCodeField = () =>
  text(64, 1)
    .optional()
    .meta({ description: `${description} Required if the account has a second factor.` });

const recoveryCodes = z
  .array(z.string())
  .meta({ description: "Each replaces a code of the authenticator app once. They are shown only now." });

export const factors = {
  getFactor: endpoint("GET /auth/factor", {
    ...own,
    summary: "Show whether your account has a second factor",
    reply: z.strictObject({
      enabled: z.boolean(),
      enabledAt: timestamp().nullable(),
      recoveryCodesLeft: z.int().meta({ description: "Recovery codes that were not used." }),
      passkeys: z.int().meta({ description: "Passkeys of the account, which sign in to pages without a code." }),
      hasPassword: z.boolean().meta({ description: "Whether setting up a second factor takes the password." }),
      confirmedUntil: timestamp()
        .nullable()
        .meta({ description: "Until when operations on money need no further code with the API key in use." }),
    }),
  }),
  startFactor: endpoint("POST /auth/factor", {
    ...own,
    refusesBudgeted: true,
    summary: "Begin to set up a second factor: get the secret for an authenticator app, to be enabled within 15 minutes",
    body: z
      .strictObject({
        password: text(256, 1).optional().meta({ description: "Current password. Required if the account has one." }),
      })
      .prefault({}),
    reply: z.strictObject({
      secret: z.string().meta({ description: "In base32, for an authenticator app." }),
      uri: z.string().meta({ description: "The same as an `otpauth://` URI, for a QR code." }),
    }),
    secretReply: true,
    limit: "password",
  }),
  enableFactor: endpoint("POST /auth/factor/enable", {
    ...own,
    refusesBudgeted: true,
    ...audited("user.enable_factor"),
    summary: "Enable the second factor with a first code from the authenticator app",
    body: z.strictObject({ code: text(64, 1).meta({ description: "Six digits from the authenticator app." }) }),
    reply: z.strictObject({ recoveryCodes }),
    secretReply: true,
    limit: "password",
  }),
  disableFactor: endpoint("POST /auth/factor/disable", {
    ...own,
    refusesBudgeted: true,
    ...audited("user.disable_factor"),
    summary: "Remove the second factor from your account",
    risk: "destroy",
    body: z.strictObject({ code: codeField() }),
    reply: message(),
    limit: "password",
  }),
  renewRecoveryCodes: endpoint("POST /auth/factor/recovery-codes", {
    ...own,
    refusesBudgeted: true,
    ...audited("user.renew_recovery_codes"),
    summary: "Replace all recovery codes",
    risk: "destroy",
    body: z.strictObject({ code: codeField() }),
    reply: z.strictObject({ recoveryCodes }),
    secretReply: true,
    limit: "password",
  }),
  confirmKey: endpoint("POST /auth/confirm", {
    ...own,
    ...audited("user.confirm"),
    summary: "Confirm the API key in use with your second factor, for operations on money",
    body: z.strictObject({ code: codeField() }),
    reply: z.strictObject({
      confirmedUntil: timestamp().meta({ description: "Until when operations on money need no further code." }),
    }),
    limit: "password",
  }),
};
