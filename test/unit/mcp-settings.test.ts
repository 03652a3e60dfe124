import { describe, expect, it } from "vitest";
import { allowedBy, settingsFor } from "../../server/mcp/settings.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";

const settings = (query: string, toolsets?: readonly Toolset[]) => {
  const { allowed, reviewsPerDay } = settingsFor({ ...(toolsets && { toolsets }) }, new URLSearchParams(query));
  return [[...allowed].join(","), reviewsPerDay];
};

describe("what the address of /mcp allows", () => {
  it.each([
    ["", "read", 10],
    ["allow=read,order,build,review&reviews=500", "read,order,build,review", 500],
    ["allow=read&allow=order", "read,order", 10],
  ])("an API key, %j", (query, allowed, reviews) => {
    expect(settings(query)).toEqual([allowed, reviews]);
  });

  it.each([
    ["allow=read&alow=order", "alow: is not a known field of this request"],
    ["reviews=5&reviews=6", "reviews: must be a whole number from 0 to 99999"],
    ["allow=read&allow=everything", "allow.1: must be one of read, order, build, review"],
  ])("refuses %j", (query, message) => {
    expect(() => settings(query)).toThrow(message);
  });

  it.each([
    ["", ["read", "order"], "read,order", 10],
    ["allow=read", ["read", "order"], "read", 10],
    ["allow=read,order,build,review", ["read", "order"], "read,order", 10],
    ["allow=review&reviews=500", ["read", "review"], "review", 10],
    ["allow=review&reviews=3", ["read", "review"], "review", 3],
  ] as const)("a connected program, %j with %j: never more than its owner allowed", (query, granted, allowed, reviews) => {
    expect(settings(query, granted)).toEqual([allowed, reviews]);
  });

  it.each([
    ["", "read"],
    ["allow=read,order", "read order"],
    ["allow=read&allow=order", "read order"],
    ["allow=everything", "read"],
  ])("a program that has yet to be connected is told to ask for it: %j", (query, scope) => {
    expect(allowedBy(new URLSearchParams(query)).join(" ")).toBe(scope);
  });
});
