import type { Readable } from "node:stream";
import type { PublisherName } from "../../../src/contract/publications/publishers.ts";

/** A video of an accepted public slot. Its file never changes. */
export interface PublicVideo {
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
 * What a step came to. A `session` replaces the one before it; null begins a new one with the next try. Reasons are sentences for people.
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
  | { is: "blocked"; reason: string; remoteId: string | null };

export type Failed =
  | { is: "failed"; reason: string; retryAt?: number; session?: null }
  | { is: "failed"; reason: string; permanent: true };

/** Thrown by a publisher that knows what its failure means. Anything else that it throws is a try that failed, and is repeated. */
export class PublishFailure extends Error {
  override name = "PublishFailure";
  readonly outcome: Failed;
  constructor(outcome: Failed) {
    super(outcome.reason);
    this.outcome = outcome;
  }
}

/** What may be left on a platform: a finished video, or a session of which it is not known how far it came. */
export interface Remnants {
  slotId: string;
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
}

/** Those that this server can publish with. */
export type Publishers = Partial<Record<PublisherName, Publisher>>;
