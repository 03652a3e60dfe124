import type { AuthenticationResponse, RegistrationResponse } from "../../../src/contract/accounts/passkeys.ts";
import type { RelyingParty } from "./rules.ts";
import type { PasskeyRow } from "./store.ts";

/** Loaded when somebody uses a passkey: no other request and no start needs it. */
const library = () => import("@simplewebauthn/server");

type Library = Awaited<ReturnType<typeof library>>;
export type CreationOptions = Awaited<ReturnType<Library["generateRegistrationOptions"]>>;
export type RequestOptions = Awaited<ReturnType<Library["generateAuthenticationOptions"]>>;
type Transports = NonNullable<Parameters<Library["generateAuthenticationOptions"]>[0]["allowCredentials"]>[number]["transports"];

/** A challenge, in base64url, and how long (ms) it can be answered. */
export interface Challenge {
  challenge: string;
  timeout: number;
}

/** The bytes of base64url, in memory of their own as the library wants it. */
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));

const descriptorOf = ({ credential_id: id, transports }: PasskeyRow) => ({
  id,
  transports: JSON.parse(transports) as NonNullable<Transports>,
});

/** The options for `navigator.credentials.create`. `existing`: authenticators with one of these make no second one. */
export async function creationOptions(
  party: RelyingParty,
  { challenge, timeout }: Challenge,
  { handle, name, existing }: { handle: string; name: string; existing: readonly PasskeyRow[] },
): Promise<CreationOptions> {
  return (await library()).generateRegistrationOptions({
    ...{ rpName: "playtest", rpID: party.id, challenge: bytesOf(challenge), timeout },
    ...{ userID: bytesOf(handle), userName: name, userDisplayName: name },
    attestationType: "none",
    excludeCredentials: existing.map(descriptorOf),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
}

/** The options for `navigator.credentials.get`. Without `allowed`, the person chooses among the passkeys of this server. */
export async function requestOptions(
  party: RelyingParty,
  { challenge, timeout }: Challenge,
  { allowed, verified }: { allowed: readonly PasskeyRow[]; verified: boolean },
): Promise<RequestOptions> {
  return (await library()).generateAuthenticationOptions({
    ...{ rpID: party.id, challenge: bytesOf(challenge), timeout },
    allowCredentials: allowed.map(descriptorOf),
    userVerification: verified ? "required" : "preferred",
  });
}

/** What a browser answered to creation options: the new passkey. Undefined when it is not a valid answer to this challenge, here. */
export async function verifyCreation(
  party: RelyingParty,
  challenge: string,
  response: RegistrationResponse,
): Promise<Pick<PasskeyRow, "credential_id" | "public_key" | "counter" | "transports"> | undefined> {
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...response,
      response: { ...response.response, transports: response.response.transports as NonNullable<Transports> },
    },
    ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
    requireUserVerification: false,
  }).catch(refused);
  if (!registrationInfo) return undefined;
  const { id, publicKey, counter } = registrationInfo.credential;
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey).toString("base64url"),
    counter,
    transports: JSON.stringify(response.response.transports),
  };
}

/**
 * The counter in a browser's answer to request options. Undefined when it is not a valid answer to this challenge, here, with this
 * passkey. `verified`: the authenticator must have checked who uses it, by a PIN or a fingerprint.
 */
export async function verifyUse(
  party: RelyingParty,
  challenge: string,
  { passkey, response, verified }: { passkey: PasskeyRow; response: AuthenticationResponse; verified: boolean },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const done = await verifyAuthenticationResponse({
    response,
    ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
    // The counter is compared where it is stored, so that of two uses at once only one counts.
    credential: { id: passkey.credential_id, publicKey: bytesOf(passkey.public_key), counter: 0 },
    requireUserVerification: verified,
  }).catch(refused);
  return done.verified ? done.authenticationInfo?.newCounter : undefined;
}

/** The library throws for everything that is wrong with an answer. Its texts are for developers. */
const refused = () => ({ verified: false as const, registrationInfo: undefined, authenticationInfo: undefined });
