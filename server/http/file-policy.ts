/**
 * The Content-Security-Policy of a file that somebody uploaded: it must never run as a page of this server. A browser that opens a video by
 * itself fetches it once more for its player, with the cookie of the person who watches, so it may fetch media from here. It runs no script.
 */
export const filePolicy = (contentType: string): string =>
  /^(audio|video)\//.test(contentType)
    ? "sandbox allow-same-origin; default-src 'none'; media-src 'self'"
    : "sandbox; default-src 'none'";
