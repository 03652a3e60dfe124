import { z } from "zod";
import { endpoint, type Role, roleScopes, roles, type Scope } from "./endpoint.ts";
import { email, extra, httpUrl, id, message, scopeName, text, timestamp, wholeListQuery } from "./fields.ts";

const any = { access: "any", extension: true } as const;
const keyless = { access: "none", extension: true } as const;

const emailField = email().meta({ description: "The account's e-mail address." });
const passwordField = text(256, 8).meta({ description: "8 to 256 characters." });
const scopesField = z.array(scopeName()).min(1).max(10).meta({ description: "Scopes of the key; default all it may have." });

const account = {
  email: emailField,
  password: passwordField,
  role: z.enum(["game_owner", "playtester"]).meta({ description: "What the account is for." }),
  name: text(100, 1).optional().meta({ description: "Display name; default the part of the e-mail before the @." }),
  companyName: text(200, 1).optional().meta({ description: "Company name; default the display name." }),
};

const ofRole = ({ role, scopes }: { role: Role; scopes?: readonly Scope[] | undefined }) =>
  (scopes ?? []).every((scope) => (roleScopes[role] as readonly Scope[]).includes(scope));

export const registerApiKeyBody = z
  .strictObject({
    ...account,
    keyName: text(100, 1).default("Default").meta({ description: "Name of the first API key." }),
    scopes: scopesField.optional(),
  })
  .refine(ofRole, {
    path: ["scopes"],
    message: "has a scope that this role cannot have",
  });

export const createApiKeyBody = z
  .strictObject({
    name: text(100, 1).meta({ description: "Name of the key." }),
    scopes: scopesField.optional(),
    expiresAt: timestamp().optional().meta({ description: "When the key stops working; default never." }),
    email: emailField.optional(),
    password: text(256, 1).optional().meta({ description: "The account's password, instead of a key." }),
  })
  .refine((body) => body.email === undefined || body.password !== undefined, {
    path: ["password"],
    message: "is needed together with email",
  })
  .refine((body) => body.password === undefined || body.email !== undefined, {
    path: ["email"],
    message: "is needed together with password",
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
    gamingExperience: extra(z.string().nullable()),
    createdAt: timestamp(),
  })
  .meta({ id: "Profile" });

export const me = user.extend({
  createdAt: timestamp(),
  profile: profile.nullable(),
  scopes: extra(z.array(scopeName()).meta({ description: "Scopes of the key that asks." })),
});

export const apiKey = z
  .strictObject({
    id: id(),
    name: z.string(),
    prefix: z.string().meta({ description: "How the key begins, to tell keys apart." }),
    scopes: z.array(scopeName()),
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
    expiresAt: timestamp().nullable(),
  })
  .meta({ id: "ApiKey" });

export const auth = {
  registerApiKey: endpoint("POST /auth/register/api-key", {
    access: "none",
    summary: "Register an account and get its first API key",
    body: registerApiKeyBody,
    status: 201,
    reply: z.strictObject({ apiKey: z.string(), user, message: z.string() }),
    secretReply: true,
    limit: "register",
    problems: ["CONFLICT"],
  }),
  register: endpoint("POST /auth/register", {
    ...keyless,
    summary: "Register an account without a key",
    body: z.strictObject(account),
    status: 201,
    reply: z.strictObject({ message: z.string(), userId: id() }),
    limit: "register",
    problems: ["CONFLICT"],
  }),
  getMe: endpoint("GET /auth/me", {
    ...any,
    summary: "Show the account the key belongs to",
    reply: me,
    unverified: true,
  }),
  updateProfile: endpoint("PATCH /auth/profile", {
    ...any,
    summary: "Change your profile",
    body: z
      .strictObject({
        displayName: text(100, 1).optional().meta({ description: "Name others see." }),
        companyName: text(200, 1).optional().meta({ description: "Company name." }),
        websiteUrl: httpUrl().nullable().optional().meta({ description: "Website; null removes it." }),
        gamingExperience: text(2000)
          .nullable()
          .optional()
          .meta({ description: "What owners see with an application; null removes it." }),
      })
      .prefault({}),
    reply: message(),
  }),
  changePassword: endpoint("POST /auth/change-password", {
    ...any,
    summary: "Change your password",
    body: z.strictObject({
      currentPassword: text(256, 1).meta({ description: "The password until now." }),
      newPassword: passwordField,
    }),
    reply: message(),
    limit: "password",
  }),
  createApiKey: endpoint("POST /auth/api-keys", {
    access: "optional",
    extension: true,
    summary: "Make an API key, with a key or with e-mail and password",
    body: createApiKeyBody,
    status: 201,
    reply: z.strictObject({ key: apiKey, apiKey: z.string() }),
    secretReply: true,
    limit: "password",
  }),
  listApiKeys: endpoint("GET /auth/api-keys", {
    ...any,
    summary: "List your API keys",
    query: wholeListQuery(),
    list: true,
    reply: z.strictObject({ keys: z.array(apiKey) }),
  }),
  revokeApiKey: endpoint("DELETE /auth/api-keys/:id", {
    ...any,
    summary: "Revoke an API key at once",
    risk: "destroy",
    reply: message(),
  }),
  resendVerification: endpoint("POST /auth/resend-verification", {
    ...keyless,
    summary: "Send the verification mail again",
    body: z.strictObject({ email: emailField }),
    reply: message(),
    limit: "password",
  }),
  requestPasswordReset: endpoint("POST /auth/password-reset", {
    ...keyless,
    summary: "Send a mail with a password reset link",
    body: z.strictObject({ email: emailField }),
    reply: message(),
    limit: "password",
  }),
  confirmPasswordReset: endpoint("POST /auth/password-reset/confirm", {
    ...keyless,
    summary: "Reset your password with the token of a reset mail",
    body: z.strictObject({
      token: text(200, 1).meta({ description: "Token from the reset mail." }),
      newPassword: passwordField,
    }),
    reply: message(),
    limit: "password",
  }),
};
