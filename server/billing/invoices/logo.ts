import { inflateSync } from "node:zlib";
import PDFDocument from "pdfkit";
import type { Logo } from "../../config/brand.ts";
import type { Log } from "../../lib/log.ts";

/** The `openImage` of pdfkit, which its types lack. A PNG has the compressed pixels. */
interface Opens {
  openImage(bytes: Buffer): { imgData?: Uint8Array };
}

/**
 * The logo, if it can be printed: pdfkit takes PNG and JPEG, not SVG and WebP. A damaged picture is left out and logged. It is decompressed
 * here, because pdfkit does so in a callback, where an error would end the process.
 */
export function printableLogo(logo: Logo | null, log: Log): Buffer | null {
  if (logo?.type !== "image/png" && logo?.type !== "image/jpeg") return null;
  try {
    const { imgData } = (new PDFDocument() as unknown as Opens).openImage(logo.bytes);
    if (imgData) inflateSync(imgData);
    return logo.bytes;
  } catch (err) {
    log.warn(
      { err },
      "brand.logo is damaged: invoices and statements are printed without it. Replace the picture and restart the server.",
    );
    return null;
  }
}
