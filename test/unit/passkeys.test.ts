import { describe, expect, it } from "vitest";
import { challengeMs, mostPasskeys, relyingParty } from "../../server/accounts/passkeys/rules.ts";

describe("passkeys", () => {
  it.each([
    ["https://play.example", { id: "play.example", origin: "https://play.example" }],
    ["https://play.example:8443/x", { id: "play.example", origin: "https://play.example:8443" }],
    ["http://localhost:4747", { id: "localhost", origin: "http://localhost:4747" }],
    ["http://a.localhost", { id: "a.localhost", origin: "http://a.localhost" }],
    ["http://play.example", undefined],
    ["http://notlocalhost", undefined],
    ["https://192.0.2.1", undefined],
    ["https://[2001:db8::1]", undefined],
    ["https://1.example", { id: "1.example", origin: "https://1.example" }],
    ["https://v1", { id: "v1", origin: "https://v1" }],
  ])("of a server at %s are kept as %j", (baseUrl, party) => {
    expect(relyingParty(baseUrl)).toEqual(party);
  });

  it("are twenty at most, and a challenge has five minutes", () => expect([mostPasskeys, challengeMs]).toEqual([20, 300_000]));
});
