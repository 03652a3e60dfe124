import { RawResponse } from "../../http/call.ts";
import { contentDisposition } from "../../http/range.ts";

/** A reply that is a PDF file to save. */
export const pdfReply = (bytes: Buffer, filename: string) =>
  new RawResponse((_request, response) => {
    response.writeHead(200, {
      "Content-Type": "application/pdf",
      "Content-Length": bytes.length,
      "Content-Disposition": contentDisposition("attachment", filename),
    });
    response.end(bytes);
  });
