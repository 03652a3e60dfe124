import * as z from "zod";
import { apiKey } from "./accounts/api-keys.ts";
import { newBudgets } from "./accounts/budgets.ts";
import { optionalCodeField } from "./accounts/factors.ts";
import { traitChanges, traits } from "./accounts/traits.ts";
import { audited, endpoint, type Role, roleScopes, roles, type Scope } from "./endpoint.ts";
import {
  email,
  extension,
  httpUrl,
  id,
  message,
  readableText,
  scopeName,
  text,
  timestamp,
  timeZone,
  wholeListQuery,
} from "./fields.ts";
import { publishedNames } from "./publications/consent.ts";

const any = { access: "any", extension: true } as const;
const main = { access: "main", extension: true } as const;
const every = { access: "every", extension: true } as const;
const keyless = { access: "none", extension: true } as const;

const emailField = email().meta({ description: "The account's email address." });
const passwordField = text(256, 8).meta({ description: "8 to 256 characters." });
const scopesField = z
  .array(scopeName())
  .min(1)
  .max(10)
  .meta({ description: "Scopes of the key; default all scopes of the account's role." });

const account = {
  email: emailField,
  password: passwordField,
  role: z.enum(["game_owner", "playtester"]).meta({ description: "Role of the account." }),
  name: readableText(100).optional().meta({ description: "Display name; default the part of the email address before the @." }),
  companyName: readableText(200).optional().meta({ description: "Company name; default the display name." }),
};

const ofRole = ({ role, scopes }: { role: Role; scopes?: readonly Scope[] | undefined }) =>
  (scopes ?? []).every((scope) => (roleScopes[role] as readonly Scope[]).includes(scope));

export const registerApiKeyBody = z
  .strictObject({
    ...account,
    keyName: readableText(100).default("Default").meta({ description: "Name of the first API key." }),
    scopes: scopesField.optional(),
  })
  .refine(ofRole, {
    path: ["scopes"],
    message: "has a scope that this role cannot have",
  });

export const createApiKeyBody = z
  .strictObject({
    name: readableText(100).meta({ description: "Name of the key." }),
    scopes: scopesField.optional(),
    expiresAt: timestamp().optional().meta({ description: "When the key stops working; default never." }),
    readOnly: extension(z.boolean().default(false).meta({ description: "A key that can change, order and send nothing." })),
    budgets: extension(
      newBudgets().optional().meta({ description: "What the key, and those made with it or in its place, may spend." }),
    ),
    email: emailField.optional(),
    password: text(256, 1).optional().meta({ description: "The account's password, to authenticate without an API key." }),
    code: optionalCodeField(),
  })
  .refine((body) => body.email === undefined || body.password !== undefined, {
    path: ["password"],
    message: "is required with email",
  })
  .refine((body) => body.password === undefined || body.email !== undefined, {
    path: ["email"],
    message: "is required with password",
  });

export const user = z
  .strictObject({
    id: id(),
    email: z.string(),
    role: z.enum(roles),
    emailVerified: z.boolean(),
  })
  .meta({ id: "User" });

export const profile = z
  .strictObject({
    id: id(),
    userId: id(),
    companyName: z.string(),
    displayName: z.string(),
    websiteUrl: z.string().nullable(),
    gamingExperience: extension(z.string().nullable()),
    publishedName: extension(
      z.enum(publishedNames).meta({ description: "Whether published videos of a playtester show the display name." }),
    ),
    timeZone: extension(
      z.string().nullable().meta({ description: "IANA name of the zone in which times are told; null for UTC." }),
    ),
    ...traits,
    createdAt: timestamp(),
  })
  .meta({ id: "Profile" });

export const me = user.extend({
  createdAt: timestamp(),
  profile: profile.nullable(),
  scopes: extension(z.array(scopeName()).meta({ description: "Scopes of the API key in use." })),
});

export const session = z
  .strictObject({
    id: id(),
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
    expiresAt: timestamp(),
    address: z.string().nullable().meta({ description: "From where the browser signed in." }),
    agent: z.string().nullable().meta({ description: "The browser and its system, such as `Firefox on Windows`." }),
    current: z.boolean().meta({ description: "Whether it is the session that asks." }),
  })
  .meta({ id: "Session" });

const passkeysLeft = extension(z.int().meta({ description: "Passkeys of the account that still sign in." }));

const record = z.record(z.string(), z.unknown());

const exported = z.strictObject({
  exportedAt: timestamp(),
  account: record,
  records: z.record(z.string(), z.array(record)).meta({ description: "Lists by kind, such as `payments` or `slots`." }),
});

export const auth = {
  registerApiKey: endpoint("POST /auth/register/api-key", {
    access: "none",
    ...audited("user.register"),
    summary: "Register an account and get its first API key",
    body: registerApiKeyBody,
    status: 201,
    reply: z.strictObject({ apiKey: z.string(), user, message: z.string() }),
    secretReply: true,
    limit: "register",
    errors: ["CONFLICT", "FORBIDDEN"],
  }),
  register: endpoint("POST /auth/register", {
    ...keyless,
    ...audited("user.register"),
    summary: "Register an account without an API key",
    body: z.strictObject(account),
    status: 201,
    reply: z.strictObject({ message: z.string(), userId: id() }),
    limit: "register",
    errors: ["CONFLICT", "FORBIDDEN"],
  }),
  getMe: endpoint("GET /auth/me", {
    ...any,
    summary: "Show the account that the API key belongs to",
    reply: me,
    unverified: true,
  }),
  updateProfile: endpoint("PATCH /auth/profile", {
    ...main,
    summary: "Change your profile",
    body: z
      .strictObject({
        displayName: readableText(100).optional().meta({ description: "Name shown to others." }),
        companyName: readableText(200).optional().meta({ description: "Company name." }),
        websiteUrl: httpUrl().nullable().optional().meta({ description: "Website; null removes it." }),
        gamingExperience: readableText(2000, 0)
          .nullable()
          .optional()
          .meta({ description: "Gaming experience, shown to owners with an application; null removes it." }),
        publishedName: z
          .enum(publishedNames)
          .optional()
          .meta({ description: "Whether videos of yours that are published show your display name, from your next slot on." }),
        timeZone: timeZone()
          .nullable()
          .optional()
          .meta({ description: "Time zone in which times are told, such as Europe/Berlin; null for UTC." }),
        ...traitChanges,
      })
      .prefault({}),
    reply: message(),
  }),
  changePassword: endpoint("POST /auth/change-password", {
    ...main,
    refusesBudgeted: true,
    ...audited("user.change_password"),
    summary: "Change your password",
    body: z.strictObject({
      currentPassword: text(256, 1).meta({ description: "Current password." }),
      newPassword: passwordField,
      code: optionalCodeField(),
    }),
    reply: message(),
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  changeEmail: endpoint("POST /auth/change-email", {
    ...main,
    refusesBudgeted: true,
    ...audited("user.request_email_change"),
    summary: "Change your email address: sends a link to both addresses",
    body: z.strictObject({
      newEmail: email().meta({ description: "New email address." }),
      password: text(256, 1).optional().meta({
        description:
          "Current password. For an account without one, a browser that signed in within the last 15 minutes leaves it out, and so does the API key of an administrator who has no email address yet.",
      }),
      code: optionalCodeField(),
    }),
    reply: message(),
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  createApiKey: endpoint("POST /auth/api-keys", {
    access: "optional",
    ...audited("key.create"),
    extension: true,
    summary: "Create an API key, using an API key or an email address and password",
    body: createApiKeyBody,
    status: 201,
    reply: z.strictObject({ key: apiKey, apiKey: z.string() }),
    secretReply: true,
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  listApiKeys: endpoint("GET /auth/api-keys", {
    ...main,
    summary: "List your API keys",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ keys: z.array(apiKey) }),
  }),
  revokeApiKey: endpoint("DELETE /auth/api-keys/:id", {
    ...any,
    ...audited("key.revoke"),
    summary: "Revoke an API key and those created with it or in its place. A key without the main scope can revoke only itself",
    risk: "destroy",
    reply: message(),
  }),
  rotateApiKey: endpoint("POST /auth/api-keys/:id/rotate", {
    ...main,
    ...audited("key.rotate", "graceSeconds"),
    summary:
      "Replace an API key: creates a key like it and ends the old one after a grace period. Without the password a key replaces itself and those created with it, and the new one is revoked with the old one",
    risk: "destroy",
    body: z
      .strictObject({
        graceSeconds: z
          .int()
          .min(0)
          .max(30 * 86_400)
          .default(86_400)
          .meta({
            description: "How long the old key and those created with it still work, in seconds; default a day.",
          }),
        password: text(256, 1).optional().meta({
          description:
            "Current password: then any key of the account is replaced, and the new one does not end with the old one.",
        }),
        code: optionalCodeField(),
      })
      .prefault({}),
    status: 201,
    reply: z.strictObject({ key: apiKey, apiKey: z.string(), previous: apiKey }),
    secretReply: true,
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  listSessions: endpoint("GET /auth/sessions", {
    ...main,
    summary: "List the browsers that are signed in to your account",
    reply: z.strictObject({ sessions: z.array(session) }),
  }),
  endSession: endpoint("DELETE /auth/sessions/:id", {
    ...main,
    refusesBudgeted: true,
    summary: "Sign a browser out of your account",
    ...audited("session.end"),
    risk: "destroy",
    reply: message(),
  }),
  signOutEverywhere: endpoint("POST /auth/sign-out-everywhere", {
    ...main,
    refusesBudgeted: true,
    summary: "Sign out of every browser, and revoke all other API keys if you want",
    ...audited("user.sign_out_everywhere", "revokeApiKeys", "removePasskeys"),
    risk: "destroy",
    body: z
      .strictObject({
        revokeApiKeys: z
          .boolean()
          .default(false)
          .meta({ description: "Whether all API keys of the account are revoked too, except the one in use." }),
        removePasskeys: z.boolean().default(false).meta({ description: "Whether all passkeys of the account are removed too." }),
      })
      .prefault({}),
    reply: message().extend({ passkeysLeft }),
  }),
  exportAccount: endpoint("GET /auth/export", {
    ...every,
    summary:
      "Export everything that is kept about your account; payout details are masked. Takes an API key with every scope of the account",
    reply: exported,
  }),
  exportAccountInFull: endpoint("POST /auth/export", {
    ...every,
    refusesBudgeted: true,
    ...audited("user.export"),
    summary:
      "Export everything that is kept about your account, with the payout details in full. Takes the password and an API key with every scope of the account, and sends an email",
    body: z.strictObject({
      password: text(256, 1).meta({ description: "Current password." }),
      code: optionalCodeField(),
    }),
    reply: exported,
    secretReply: true,
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  deleteAccount: endpoint("POST /auth/delete-account", {
    ...main,
    refusesBudgeted: true,
    ...audited("user.delete"),
    summary: "Delete your account: the ledger stays, personal data goes",
    risk: "destroy",
    body: z
      .strictObject({
        password: text(256, 1)
          .optional()
          .meta({ description: "Current password. Not needed in a browser that signed in within 15 minutes." }),
        code: optionalCodeField(),
      })
      .prefault({}),
    reply: message(),
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  resendVerification: endpoint("POST /auth/resend-verification", {
    ...keyless,
    summary: "Send the verification email again",
    body: z.strictObject({ email: emailField }),
    reply: message(),
    limit: "password",
  }),
  requestPasswordReset: endpoint("POST /auth/password-reset", {
    ...keyless,
    summary: "Send a password reset email",
    body: z.strictObject({ email: emailField }),
    reply: message(),
    limit: "password",
  }),
  confirmPasswordReset: endpoint("POST /auth/password-reset/confirm", {
    ...keyless,
    ...audited("user.reset_password", "revokeApiKeys", "removePasskeys"),
    summary: "Reset your password with the token from a password reset email",
    body: z.strictObject({
      token: text(200, 1).meta({ description: "Token from the password reset email." }),
      newPassword: passwordField,
      revokeApiKeys: z
        .boolean()
        .default(false)
        .meta({ description: "Whether all API keys of the account are revoked too. Those of an unverified account always are." }),
      removePasskeys: z.boolean().optional().meta({
        description: "Whether all passkeys of the account are removed too; default whether it has no authenticator app.",
      }),
    }),
    reply: message().extend({ passkeysLeft }),
    limit: "password",
  }),
};
