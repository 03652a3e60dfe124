/** Formats a time in milliseconds as in the contract: ISO 8601 in UTC. */
export const iso = (ms: number) => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

/** A time as emails and notifications show it: `2026-03-04 12:00 UTC`. */
export const utc = (ms: number) => `${iso(ms).slice(0, 16).replace("T", " ")} UTC`;

/** Whole seconds of a length in milliseconds. */
export const secondsOf = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000));
