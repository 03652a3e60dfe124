/** A range of bytes of a file. `start` and `end` are inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Parses a `Range` header (RFC 9110 §14). Undefined means to send the whole file: without a header, and for several ranges, a unit other
 * than bytes, or an invalid value. `unsatisfiable` if the range has no byte of the file, for example because it starts after the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (from === undefined || to === undefined || from + to === "") return undefined;
  if (from === "")
    return Number(to) === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const [start, end] = [Number(from), to === "" ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== "" && Number(to) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}

/** A `Content-Disposition` header for any file name (RFC 6266), without a path, with quotes replaced, and with the name in UTF-8. */
export function contentDisposition(disposition: "attachment" | "inline", filename: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
  const clean = (filename.split(/[/\\]/).at(-1) ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "");
  const name =
    [...clean]
      .slice(0, 200)
      .join("")
      .replace(/^[. ]+/, "") || "download";
  const plain = name.replace(/[^\x20-\x7e]/g, "_").replace(/["%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${disposition}; filename="${plain}"${plain === name ? "" : `; filename*=UTF-8''${encoded}`}`;
}
