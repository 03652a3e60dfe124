import type { Data } from "../../../../src/contract/index.ts";
import type { SlotStatus } from "../../../../src/contract/states/index.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { ifAllowed } from "../allowed.ts";
import type { StudioContext } from "../types.ts";

type Submission = Data<"listSubmissions">["submissions"][number];
type Contact = Exclude<Data<"listContacts">, { chatDisabled: boolean }>["contacts"][number];

/** Everything that waits for an owner, and what is being played. */
export interface Waiting {
  problems: Submission[];
  reviews: Submission[];
  /** Playtesters with unread messages. */
  contacts: Contact[];
  /** The inbox of the server; empty where it has none. */
  items: Data<"getInbox">["items"];
  /** Whether the server says which applications and orders wait. */
  hasInbox: boolean;
  playing: Submission[];
  /** Whether playtesters ever finished something for the owner. */
  hasContacts: boolean;
  /** Of which there are more than are listed. */
  hasMore: Record<"problems" | "reviews" | "playing", boolean>;
}

/** The most slots of one status that the inbox lists. */
const limit = 100;

const isLonger = ({ meta }: { meta: { cursor?: string | null | undefined } }) => typeof meta.cursor === "string";

export async function waitingFor({ call }: StudioContext): Promise<Waiting> {
  const slots = (status: SlotStatus) => call("listSubmissions", { query: { status, limit } });
  const [inbox, problems, reviews, playing, contacts] = await Promise.all([
    ifOffered(call("getInbox")),
    slots("blocked"),
    slots("submitted"),
    slots("reserved"),
    ifAllowed(call("listContacts")),
  ]);
  const all = (contacts?.data.contacts ?? []) as Contact[];
  return {
    problems: problems.data.submissions,
    reviews: reviews.data.submissions,
    contacts: all.filter(({ unreadCount, conversationId }) => unreadCount > 0 && conversationId !== null),
    items: inbox?.data.items ?? [],
    hasInbox: inbox !== undefined,
    playing: playing.data.submissions,
    hasContacts: all.length > 0,
    hasMore: { problems: isLonger(problems), reviews: isLonger(reviews), playing: isLonger(playing) },
  };
}
