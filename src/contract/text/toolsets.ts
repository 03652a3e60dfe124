/**
 * What a client of the Model Context Protocol may be allowed: to read, to order and pay, to upload builds, and to decide on submissions and
 * create findings. Each tool belongs to one.
 */
export const toolsets = ["read", "order", "build", "review"] as const;
export type Toolset = (typeof toolsets)[number];

/** How many submissions a client may accept or reject in a UTC day where nobody says. */
export const defaultReviewsPerDay = 10;
