/** The header by which a program limits how many submissions its API key accepts or rejects in a UTC day. */
export const reviewLimitHeader = "X-Review-Limit";
