import type { Role } from "../../../src/contract/endpoint.ts";

/** Where one kind of account signs in with a browser. */
export interface Door {
  /** The path of the first page. The pages of signing in are below it. */
  base: "/play" | "/studio";
  role: Exclude<Role, "admin">;
  /** Whose account it is. */
  who: "playtester" | "game owner";
  /** Who sees the names of these accounts. */
  seenBy: string;
  /** What they find behind it. */
  place: string;
  /** The page below `base` after a first sign-in by a link, which verified the address and removed the password. */
  verified: string;
}

export const playDoor: Door = {
  base: "/play",
  role: "playtester",
  who: "playtester",
  seenBy: "game owners",
  place: "the playtester portal",
  verified: "/account?done=verified",
};

export const studioDoor: Door = {
  base: "/studio",
  role: "game_owner",
  who: "game owner",
  seenBy: "playtesters",
  place: "Studio",
  verified: "?done=verified",
};

/** Where accounts of this role sign in. Undefined for operators, who have no pages. */
export const doorOf = (role: Role): Door | undefined => [playDoor, studioDoor].find((door) => door.role === role);
