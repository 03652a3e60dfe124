import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createSecrets } from "../../server/lib/secrets.ts";

it("seals with another nonce each time", () => {
  const { sealBytes, openBytes } = createSecrets(randomBytes(32), randomBytes);
  const sealed = Array.from({ length: 1_000 }, () => sealBytes(Buffer.from("plain"), "context"));
  expect(new Set(sealed.map((bytes) => bytes.subarray(0, 12).toString("hex"))).size).toBe(1_000);
  expect(sealed.every((bytes) => openBytes(bytes, "context").toString() === "plain")).toBe(true);
});
