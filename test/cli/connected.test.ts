import { describe, expect, it } from "vitest";
import { decide, leadsTo, oauthOf, redirectUri, verifier } from "../helpers/oauth.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { signedIn } from "../helpers/portal.ts";

const fixture = eachOwnerFixture();

describe("auth keys with a connected program", () => {
  async function connect() {
    const { server, owner } = fixture;
    const oauth = oauthOf(server);
    const clientId = await oauth.clientId({ client_name: "Claude Code" });
    const done = await decide(await signedIn(server, owner, "/studio"), oauth.authorizeUrl(clientId));
    const code = leadsTo(done)!.searchParams.get("code")!;
    const given = {
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    };
    const { access_token: token } = (await oauth.token(given)).body;
    return { token: token as string, mcp: () => oauth.mcp(token) };
  }

  it("list names it and what it may do, and revoke disconnects it", async () => {
    const program = await connect();
    expect(await program.mcp()).toBe(200);
    const shown = await fixture.run("auth keys list", { tty: { stdout: true } });
    expect(shown.stdout).toMatch(/pt_at_ +connected: read, order/);
    const listed = JSON.parse((await fixture.run("auth keys list --json")).stdout);
    const keys = (listed.keys ?? listed) as { id: string; name: string; connection: string[] | null }[];
    const { id } = keys.find(({ connection }) => connection !== null)!;
    expect(keys.find(({ name }) => name === "Claude Code")).toMatchObject({ connection: ["read", "order"] });
    const rotated = await fixture.run(`auth keys rotate ${id} --yes`);
    expect([rotated.code, rotated.stderr]).toEqual([
      6,
      expect.stringContaining("A connected client renews its tokens by itself."),
    ]);
    expect((await fixture.run(`auth keys revoke ${id} --yes`)).code).toBe(0);
    expect(await program.mcp()).toBe(401);
  });

  it("its token is no API key for the command", async () => {
    const { token } = await connect();
    const refused = await fixture.run("games list", { key: token });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("The API key is unknown or revoked.")]);
  });
});
