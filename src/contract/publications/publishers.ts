/** Where videos of public playtests can be published: on the server's own page, or on a video platform. */
export const publishers = ["own", "youtube", "peertube"] as const;
export type PublisherName = (typeof publishers)[number];

/** Those with an account that an operator connects. */
export const platforms = ["youtube", "peertube"] as const satisfies readonly PublisherName[];
export type Platform = (typeof platforms)[number];

/** What people call them. */
export const publisherTitles: Record<PublisherName, string> = {
  own: "the server's own page",
  youtube: "YouTube",
  peertube: "PeerTube",
};
