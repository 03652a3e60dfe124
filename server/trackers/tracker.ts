import type { IssueRow } from "../playtests/findings/issues-store.ts";
import type { Document } from "./document.ts";

/** An issue as its tracker has it. */
export interface Issue {
  /** What requests name it by. */
  id: string;
  /** What people call it, such as `#12` or `LANT-12`. */
  key: string;
  /** Its page, on the site of the connection. */
  url: string | null;
  isOpen: boolean;
  /** When it was closed (ms), as far as the tracker says. */
  closedAt: number | null;
  /** Its description, in the form of the tracker. */
  description: unknown;
}

/** What an issue is made of. */
export interface Draft extends Pick<IssueRow, "target" | "assignee" | "priority" | "issue_type" | "marker"> {
  labels: readonly string[];
  title: string;
  document: Document;
}

/** Where an issue is: the repository, project or team, and its id there. */
export interface Place {
  target: string;
  id: string;
}

/**
 * The issues of one tracker, with the token of one account. A method that throws a `Refusal` changed nothing; one that throws something else may
 * have. None sends a request that creates something twice.
 */
export interface Tracker {
  /** The account of the token, for people. */
  account(): Promise<string>;
  /**
   * The issue that says that it is of this marker, if one was created since `since` (ms by the tracker's clock). Of several it is the first: in public
   * places, others can repeat what they read. `deleted`: it was created, and only a new marker can be that of another.
   */
  find(marker: string, target: string, since: number): Promise<Issue | "deleted" | undefined>;
  create(draft: Draft): Promise<Issue>;
  /** Undefined for one that the tracker no longer has. */
  get(place: Place): Promise<Issue | undefined>;
  /** Replaces what an earlier document said. Leaves a description alone from which people removed it. */
  rewrite(place: Place, issue: Issue, document: Document, marker: string): Promise<void>;
  reopen(place: Place): Promise<void>;
  /** Says something on an issue, unless it is said there already. */
  comment(place: Place, document: Document, marker: string): Promise<void>;
}

/** The tracker refused a request, and did nothing. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: number;
  /** After how long (ms) the account may ask again; undefined where waiting does not help. */
  readonly retryAfterMs: number | undefined;
  constructor(status: number, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
