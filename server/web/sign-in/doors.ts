import type { Role } from "../../../src/contract/endpoint.ts";
import { portal, studio } from "../../../src/contract/pages/addresses.ts";

/** The pages of signing in, and what their forms post to. */
const addressesOf = ({ signIn, confirmSignIn, register, forgot, signOut }: typeof portal | typeof studio) => ({
  signIn,
  link: signIn.below("link"),
  linkSent: signIn.below("sent"),
  confirm: confirmSignIn,
  password: signIn.below("password"),
  passkey: signIn.below("passkey"),
  startPasskey: signIn.below("passkey/start"),
  code: signIn.below("code"),
  passkeyStep: signIn.below("code/passkey"),
  startPasskeyStep: signIn.below("code/passkey/start"),
  register,
  registered: register.below("sent"),
  forgot,
  resetSent: forgot.below("sent"),
  signOut,
});

/** Where one kind of account signs in with a browser. */
export interface Door {
  /** The path of the first page. */
  base: string;
  to: ReturnType<typeof addressesOf>;
  role: Exclude<Role, "admin">;
  /** Whose account it is. */
  who: "playtester" | "game owner";
  /** Who sees the names of these accounts. */
  seenBy: string;
  /** What they find behind it. */
  place: string;
  /** The page after a first sign-in by a link, which verified the address and removed the password, unless another one was asked for. */
  verified: string;
}

export const playDoor: Door = {
  base: portal.offers(),
  to: addressesOf(portal),
  role: "playtester",
  who: "playtester",
  seenBy: "game owners",
  place: "the playtester portal",
  verified: `${portal.account()}?done=verified`,
};

export const studioDoor: Door = {
  base: studio.inbox(),
  to: addressesOf(studio),
  role: "game_owner",
  who: "game owner",
  seenBy: "playtesters",
  place: "Studio",
  verified: `${studio.inbox()}?done=verified`,
};

/** The longest query of a page that is kept: it stands in mailed links. */
const longestQuery = 1000;

/** The path and query of a page behind the door, written so that they lead nowhere else. Undefined for any other address. */
export function behind({ base }: Pick<Door, "base">, given: string): string | undefined {
  const [path = "", query] = given.split(/\?(.*)/s);
  if (!new RegExp(`^${base}(/[\\w-]+)*$`).test(path)) return undefined;
  const written = new URLSearchParams(query).toString();
  return written === "" || written.length > longestQuery ? path : `${path}?${written}`;
}

/** The page to show after signing in: the requested one if it is behind this door, otherwise the first. */
export const nextOf = (door: Pick<Door, "base">, given: string | null | undefined): string =>
  behind(door, given ?? "") ?? door.base;

/** The requested page if it is behind a door, whose account it may be. Undefined for any other address. */
export const nextAtAnyDoor = (given: string | null | undefined): string | undefined =>
  [playDoor, studioDoor].map((door) => behind(door, given ?? "")).find((next) => next !== undefined);

/** The address of a page of signing in from which the way leads on to `next`. */
export const leading = ({ base }: Pick<Door, "base">, address: string, next: string): string =>
  next === base ? address : `${address}?${new URLSearchParams({ next })}`;

/** Where accounts of this role sign in. Undefined for operators, who have no pages. */
export const doorOf = (role: Role): Door | undefined => [playDoor, studioDoor].find((door) => door.role === role);
