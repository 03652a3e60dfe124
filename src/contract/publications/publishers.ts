/** Where videos of public playtests can be published: on the server's own page, or on a video platform. */
export const publishers = ["own", "youtube"] as const;
export type PublisherName = (typeof publishers)[number];

/** What people call them. */
export const publisherTitles: Record<PublisherName, string> = {
  own: "the server's own page",
  youtube: "YouTube",
};
