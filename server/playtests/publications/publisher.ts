import type { Readable } from "node:stream";
import { type PublisherName, publisherTitles } from "../../../src/contract/publications/publishers.ts";

/** What a publisher looks for on its platform, to find what an earlier try left there. */
export interface Sought {
  /** In the description of the video. */
  publicationId: string;
  /** When the publication began (ms): the platform has no older video of it. */
  since: number;
}

/** A video of an accepted public slot. Its file never changes. */
export interface PublicVideo extends Sought {
  slotId: string;
  gameId: string;
  gameName: string;
  /** The page of the game, if it has one. */
  gameUrl: string | null;
  /** What is spoken in it, as far as that is known: a BCP 47 tag. */
  language: string;
  /** What its playtester wants to be called; null for no name. */
  playtesterName: string | null;
  filename: string;
  contentType: string;
  /** In bytes. */
  size: number;
  /** The bytes from `start` up to `end`, both included. */
  read(start: number, end: number): Promise<Readable>;
  /** Its transcript in WebVTT; undefined without one. */
  captions(): Promise<string | undefined>;
  /** An image of it, in JPEG; undefined without one. */
  poster(): Promise<Buffer | undefined>;
}

/** How much one step may send, and what ends it early. */
export interface Budget {
  bytes: number;
  signal: AbortSignal;
}

/**
 * What a step came to. A `session` replaces the one before it; null begins a new one with the next try. Reasons are sentences
 * for the owner of the slot; a `detail` is what the platform said itself, for operators.
 * - `progress`: the platform has `bytesSent` bytes and wants more.
 * - `processing`: it has all of them, and is asked again at `retryAt` (ms), or soon.
 * - `blocked`: it has the video, but does not show it to everybody, and asking again does not help.
 * - `failed`: nothing was published. It is tried again at `retryAt` (ms), or after the usual pause; `permanent`: not at all.
 */
export type Outcome = Done | Failed;

type Done =
  | { is: "progress"; bytesSent: number; session?: string }
  | { is: "processing"; session?: string; retryAt?: number }
  | { is: "published"; url: string; remoteId: string | null }
  | { is: "blocked"; reason: string; detail?: string; remoteId: string | null };

export type Failed =
  | { is: "failed"; reason: string; detail?: string; retryAt?: number; session?: null }
  | { is: "failed"; reason: string; detail?: string; permanent: true };

/** Thrown by a publisher that knows what its failure means. Anything else that it throws is a try that failed, and is repeated. */
export class PublishFailure extends Error {
  override name = "PublishFailure";
  readonly outcome: Failed;
  constructor(outcome: Failed) {
    super(outcome.reason);
    this.outcome = outcome;
  }
}

/** Does the work, and throws what a refusal of the platform means; `meaningOf` says nothing of any other error. */
export async function explained<T>(work: Promise<T>, meaningOf: (error: unknown) => Failed | undefined): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const outcome = meaningOf(error);
    throw outcome ? new PublishFailure(outcome) : error;
  }
}

/** The failure where no account of a platform is connected. */
export const notConnected = (adapter: PublisherName) =>
  new PublishFailure({
    is: "failed",
    reason: `This server is not connected to ${publisherTitles[adapter]}.`,
    detail: `Connect it with \`playtest admin publishing connect ${adapter}\`.`,
  });

/** What may be left on a platform: a finished video, or a session of which it is not known how far it came. */
export interface Remnants extends Sought {
  /** Of the video, in bytes. */
  size: number;
  remoteId: string | null;
  session: string | null;
}

/**
 * Publishes videos somewhere, each exactly once: whatever was lost, a publisher asks the platform what it has before it sends anything.
 */
export interface Publisher {
  /**
   * Begins, without sending a byte of the video: what it returns is stored first. It may be called again for the same slot after a crash,
   * and then finds what the platform has already.
   */
  start(video: PublicVideo): Promise<string>;
  /** Goes on with what `start` or the step before it returned. */
  advance(session: string, video: PublicVideo, budget: Budget): Promise<Outcome>;
  /** Deletes what is on the platform. Does nothing where nothing is left. */
  remove(remnants: Remnants): Promise<void>;
  /** Keeps the tokens of an account from ending while nothing is published. Only where they end. */
  keepConnected?(): Promise<void>;
}

/** Those that this server can publish with. */
export type Publishers = Partial<Record<PublisherName, Publisher>>;
