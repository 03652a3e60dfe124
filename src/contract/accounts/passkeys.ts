import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { id, message, readableText, text, timestamp } from "../fields.ts";
import { optionalCodeField } from "./factors.ts";

/** Operators have no pages to add one on, nor to sign in with it. */
const browsing = { access: { anyOf: ["playtester", "game_owner"] }, extension: true } as const;
const main = { access: "main", extension: true } as const;

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]*$/, "must be base64url");

const answer = { id: base64url(1400), rawId: base64url(1400), type: z.literal("public-key") };

/** What `navigator.credentials.create` returned, as `toJSON` writes it. */
const registrationResponse = z.strictObject({
  ...answer,
  response: z.strictObject({
    clientDataJSON: base64url(4096),
    attestationObject: base64url(8192),
    transports: z.array(text(32, 1)).max(10).default([]),
  }),
  clientExtensionResults: z.strictObject({}).default({}),
});

/** What `navigator.credentials.get` returned. */
export const authenticationResponse = z.strictObject({
  ...answer,
  response: z.strictObject({
    clientDataJSON: base64url(4096),
    authenticatorData: base64url(8192),
    signature: base64url(2048),
    userHandle: base64url(128).optional(),
  }),
  clientExtensionResults: z.strictObject({}).default({}),
});

export type RegistrationResponse = z.output<typeof registrationResponse>;
export type AuthenticationResponse = z.output<typeof authenticationResponse>;

/** Who adds or removes a passkey proves again who they are. */
const proof = {
  password: text(256, 1).optional().meta({ description: "Current password. Required if the account has one." }),
  code: optionalCodeField(),
};

const passkey = z.strictObject({
  id: id(),
  name: z.string(),
  createdAt: timestamp(),
  lastUsedAt: timestamp().nullable(),
  blockedAt: timestamp()
    .nullable()
    .meta({ description: "Since when it is not accepted because its counter went back: it may have been copied." }),
});

export const passkeys = {
  listPasskeys: endpoint("GET /auth/passkeys", {
    ...main,
    summary: "List your passkeys",
    reply: z.strictObject({
      passkeys: z.array(passkey),
      available: z.boolean().meta({ description: "Whether browsers can have passkeys for the address of this server." }),
    }),
  }),
  startPasskey: endpoint("POST /auth/passkeys/start", {
    ...browsing,
    refusesBudgeted: true,
    summary: "Begin to add a passkey: get the options for the browser, valid for 5 minutes and the API key or session in use",
    body: z.strictObject(proof).prefault({}),
    reply: z.strictObject({
      options: z
        .record(z.string(), z.unknown())
        .meta({ description: "For `PublicKeyCredential.parseCreationOptionsFromJSON` in a page of this server." }),
    }),
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
  addPasskey: endpoint("POST /auth/passkeys", {
    ...browsing,
    refusesBudgeted: true,
    ...audited("passkey.add"),
    summary: "Add the passkey that the browser created",
    body: z.strictObject({
      name: readableText(100).meta({ description: "By which you recognize it." }),
      response: registrationResponse.meta({ description: "What `navigator.credentials.create` returned, in base64url." }),
    }),
    reply: z.strictObject({ passkey }),
    status: 201,
    limit: "password",
  }),
  removePasskey: endpoint("POST /auth/passkeys/:id/remove", {
    ...main,
    refusesBudgeted: true,
    ...audited("passkey.remove"),
    summary: "Remove a passkey",
    risk: "destroy",
    body: z.strictObject(proof).prefault({}),
    reply: message(),
    limit: "password",
    errors: ["CODE_REQUIRED"],
  }),
};
