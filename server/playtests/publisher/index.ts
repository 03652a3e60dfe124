/** A video of an accepted public slot. */
export interface PublicVideo {
  slotId: string;
  gameName: string;
  playtesterName: string;
  blobKey: string;
  filename: string;
  contentType: string;
}

/** Puts public videos where everybody can see them. */
export interface Publisher {
  name: string;
  /** The video's address once it is out. May be called again for a slot after a crash: it must not be published twice. */
  publish(video: PublicVideo): Promise<{ url: string }>;
}
