import { expect, it } from "vitest";
import { checkOptions } from "../../server/config/serve-options.ts";

const check = (publicUrl: string) => () => checkOptions({ version: "1", publicUrl });

it("--public-url: accepts a host name with or without a port", () => {
  for (const url of [
    "https://playtest.example.com",
    "https://example.com/",
    "http://localhost:8080",
    "https://[2001:db8::1]:444",
  ])
    expect(check(url)).not.toThrow();
});

it.each([
  ["https://example.com/playtest", "has a path, and links of this server do not work below /playtest"],
  ["https://example.com/playtest/", "has a path"],
  ["example.com", "is not the address of a server"],
  ["ftp://example.com", "is not the address of a server"],
  ["https://user@example.com", "is not the address of a server"],
  ["https://example.com/?a=1", "is not the address of a server"],
  ["https://example.com/#a", "is not the address of a server"],
])("--public-url %s: %s", (url, message) => {
  expect(check(url)).toThrow(message);
});
