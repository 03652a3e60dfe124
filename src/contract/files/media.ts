/** Media types of what people watch and read, and the only extensions that their files get, on the server and when saved. */

const extensions = {
  "video/mp4": ".mp4",
  "video/webm": ".webm",
  "video/quicktime": ".mov",
  "video/x-matroska": ".mkv",
  "text/vtt": ".vtt",
  "text/plain": ".txt",
  "application/pdf": ".pdf",
  "image/jpeg": ".jpg",
} as const;
type KnownType = keyof typeof extensions;
export const videoContainers = ["mp4", "webm", "mov", "mkv"] as const;
export const videoExtensions = videoContainers.map((name) => `.${name}`);
export const transcriptExtensions = [extensions["text/vtt"], extensions["text/plain"]];

/** The extension for a media type, with or without parameters; undefined for a type that is none of these. */
export function extensionOf(mediaType: string): string | undefined {
  const plain = mediaType.split(";")[0]!.trim().toLowerCase();
  return Object.hasOwn(extensions, plain) ? extensions[plain as KnownType] : undefined;
}

/**
 * A name that somebody gave a file, with the extension of its media type in the place of any other: what is saved under it opens in a
 * player, and never as a program. Names of other types stay as they are.
 */
export function safeName(filename: string, mediaType: string): string {
  const extension = extensionOf(mediaType);
  if (extension === undefined || filename.toLowerCase().endsWith(extension)) return filename;
  return filename.replace(/[. ]*(\.\w{1,10})?[. ]*$/, "") + extension;
}
