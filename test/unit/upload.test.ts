import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HttpRequest, Transport } from "../../src/api/transport.ts";
import { upload } from "../../src/api/upload.ts";
import { testFolder } from "../helpers/cli.ts";

describe("upload", () => {
  it("sends the key to no other host than the server's own", async () => {
    const sent: HttpRequest[] = [];
    const transport: Transport = {
      async send(request) {
        sent.push(request);
        return { status: 201, headers: { location: "http://elsewhere.example/uploads/1" }, body: Buffer.alloc(0) };
      },
      close: async () => {},
    };
    const directory = testFolder();
    const file = join(directory, "a.bin");
    writeFileSync(file, "abc");
    const base = "http://127.0.0.1:1/api/v1";
    const uploader = {
      base,
      apiKey: "pt_sk_x",
      transport,
      userAgent: "test",
      directory,
      retries: 0,
      signal: new AbortController().signal,
    };
    const sending = upload(uploader, { path: "/games/1/builds", file, metadata: {}, fingerprint: "a", progress: () => {} });
    await expect(sending).rejects.toThrow(
      "http://127.0.0.1:1 sends the upload to http://elsewhere.example; the key was not sent there.",
    );
    expect(sent.map(({ url }) => url.origin)).toEqual(["http://127.0.0.1:1"]);
  });
});
