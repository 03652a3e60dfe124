/** A video of an accepted public slot. */
export interface PublicVideo {
  slotId: string;
  gameName: string;
  playtesterName: string;
  blobKey: string;
  filename: string;
  contentType: string;
}

/** Publishes videos of public playtests where everybody can watch them. */
export interface Publisher {
  name: string;
  /** Publishes a video and returns its URL. It may be called again for the same slot after a crash and must not publish twice. */
  publish(video: PublicVideo): Promise<{ url: string }>;
}
