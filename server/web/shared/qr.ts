import { renderSVG } from "uqr";
import { Markup } from "../html.ts";

/** A QR code as an inline image. Black on white in every color scheme: not every scanner reads the inverse. */
export const qrCode = (text: string): Markup =>
  new Markup(renderSVG(text, { border: 2, whiteColor: "#fff", blackColor: "#000" }));
