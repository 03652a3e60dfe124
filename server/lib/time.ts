/** Formats a time in milliseconds as in the contract: ISO 8601 in UTC. */
export const iso = (ms: number) => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));
