import type { Operation } from "../../../src/contract/index.ts";
import type { Connections } from "../../oauth/connections.ts";
import * as shared from "../shared/types.ts";

/**
 * Everything that a page of Studio needs. It reads and changes data by `call` and nothing else, so the same pages are served by
 * `playtest serve` and, through the client, by `playtest studio`. There an operation may be missing: see `ifOffered`.
 */
export interface StudioContext extends shared.PageContext {
  /** The form in which a command works for this account: `playtest studio` adds the profile. */
  cli(command: string): string;
  /** The text of a slot's captions; undefined without any. */
  captions(slotId: string): Promise<string | undefined>;
  account: StudioAccount;
  /** Whether the server has an operation that is an extension. A form that needs it says so before it is filled in. */
  offers(operation: Operation): Promise<boolean>;
  /** Whether files are sent to this host, and not only by the command. */
  takesFiles: boolean;
  /** Whether moments are kept on this computer, because the server keeps none. Known when they were listed. */
  keepsMoments(): boolean;
}

/** How the header shows who is signed in. */
export interface StudioAccount {
  /** The server that `playtest studio` shows; null on the server itself. */
  instance: string | null;
  /** Whether the session ends with a button. `playtest studio` ends with its process. */
  signsOut: boolean;
}

export type StudioPage = shared.AreaPage<StudioContext>;
export const action = shared.actionFor<StudioContext>();
export type Serve = NonNullable<shared.Route<StudioContext>["serve"]>;

export type Section = "inbox" | "games" | "messages" | "search" | "stats" | "billing";

/** What pages need of their host and cannot do with `call`. */
export interface StudioHost extends Pick<StudioContext, "cli" | "account" | "offers" | "keepsMoments"> {
  /** Sends a file of the slot, or an image of the moment or clip, whose id is the last of the path. */
  sendMedia(part: shared.MediaPart): Serve;
  /** The text of the captions of a slot that this account ordered; undefined without any. */
  readCaptions(context: shared.PageContext, slotId: string): Promise<string | undefined>;
  /** Connects programs to the account; null where somebody is signed in with an API key. */
  connections: Connections | null;
  /** Takes forms with files; null where only the command sends them. When storing fails, `view` is shown again. */
  files: Readonly<Record<"build" | "cover", (view: shared.View<StudioContext>, done: (id: string) => string) => Serve>> | null;
}
