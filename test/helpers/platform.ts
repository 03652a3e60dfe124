import type { Budget, Outcome, PublicVideo, Publisher, Remnants } from "../../server/playtests/publications/publisher.ts";

/** What happens at a step instead of what the platform would do: an outcome, an error, or something of its own. */
export type Step = Outcome | Error | ((video: PublicVideo, session: string) => Promise<Outcome>);

/** A video platform in memory that fails as a test says. Without a script it publishes at once. */
export class Platform implements Publisher {
  /** The publications of its videos, by the id of the video: those that were uploaded and not deleted. */
  readonly videos = new Map<string, string>();
  /** How many bytes it has of each session that is not finished. */
  readonly sessions = new Map<string, number>();
  /** What the next steps come to, in order. */
  readonly script: Step[] = [];
  /** What a step comes to that the script says nothing about; undefined for what the platform does by itself. */
  by: () => Step | undefined = () => undefined;
  /** What the next deletions come to. */
  readonly refusals: Error[] = [];
  /** Every call, in order. */
  readonly calls: string[] = [];
  #made = 0;

  async start({ publicationId }: PublicVideo): Promise<string> {
    this.calls.push("start");
    const known = this.#of(publicationId);
    if (known !== undefined) return `video:${known}`;
    const session = `session-${++this.#made}`;
    this.sessions.set(session, 0);
    return session;
  }

  async advance(session: string, video: PublicVideo, { bytes }: Budget): Promise<Outcome> {
    this.calls.push("advance");
    const step = this.script.shift() ?? this.by();
    if (step instanceof Error) throw step;
    if (typeof step === "function") return step(video, session);
    return step ?? this.take(session, video, bytes);
  }

  async remove({ publicationId, remoteId, session }: Remnants): Promise<void> {
    this.calls.push("remove");
    const refusal = this.refusals.shift();
    if (refusal) throw refusal;
    if (session !== null) this.sessions.delete(session);
    this.videos.delete(remoteId ?? this.#of(publicationId) ?? "");
  }

  /** Takes at most `bytes` of what is missing, as a platform does that works. */
  take(session: string, video: PublicVideo, bytes: number): Outcome {
    if (session.startsWith("video:")) return this.published(session.slice(6));
    const has = this.sessions.get(session);
    if (has === undefined) return { is: "failed", reason: "The platform no longer knows the upload.", session: null };
    const bytesSent = Math.min(video.size, has + bytes);
    if (bytesSent < video.size) {
      this.sessions.set(session, bytesSent);
      return { is: "progress", bytesSent };
    }
    return this.finish(video.publicationId, session);
  }

  /** Makes the video of a session. */
  finish(publicationId: string, session: string): Outcome {
    this.sessions.delete(session);
    const id = `v${this.videos.size + 1}-${++this.#made}`;
    this.videos.set(id, publicationId);
    return this.published(id);
  }

  /** The video of a slot that it has, or one that it makes now. */
  has = (publicationId: string, session: string): Outcome => {
    this.sessions.delete(session);
    const known = this.#of(publicationId);
    return known === undefined ? this.finish(publicationId, session) : this.published(known);
  };

  published = (remoteId: string): Outcome => ({ is: "published", url: `https://video.example/${remoteId}`, remoteId });

  #of(publicationId: string): string | undefined {
    for (const [id, of] of this.videos) if (of === publicationId) return id;
    return undefined;
  }
}
