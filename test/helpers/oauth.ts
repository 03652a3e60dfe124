import { createHash } from "node:crypto";
import { auth, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { auth as oldAuth } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import type { ToolReply } from "./mcp.ts";
import { hiddenFields, type Shown, type Visitor } from "./portal.ts";
import type { TestServer } from "./server.ts";

export const redirectUri = "http://127.0.0.1:5123/callback";

/** What a program keeps between its steps, as the official clients want it kept. */
export class ProgramMemory {
  readonly redirectUrl: string;
  readonly clientMetadata: Record<string, unknown>;
  readonly clientMetadataUrl?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the two clients have types of their own for it
  client: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  saved: any;
  verifier = "";
  /** Where the browser was to go. */
  asked: URL | undefined;

  constructor({ name = "Test Agent", uri = redirectUri, document }: { name?: string; uri?: string; document?: string } = {}) {
    this.redirectUrl = uri;
    this.clientMetadata = { client_name: name, redirect_uris: [uri], grant_types: ["authorization_code", "refresh_token"] };
    if (document !== undefined) this.clientMetadataUrl = document;
  }

  state = () => "a state & more";
  clientInformation = () => this.client;
  saveClientInformation = (given: unknown) => {
    this.client = given;
  };
  tokens = () => this.saved;
  saveTokens = (given: unknown) => {
    this.saved = given;
  };
  redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
}

export type Kind = "client 2.4" | "sdk 1.x";

/** One step of the official client's sign-in: asks for the browser, or with a code gets tokens, or refreshes those it has. */
export function authorizeBy(kind: Kind, memory: ProgramMemory, serverUrl: string, back?: URLSearchParams) {
  const returned = back && { authorizationCode: back.get("code")!, iss: back.get("iss")! };
  return (kind === "sdk 1.x" ? oldAuth : auth)(memory as never, { serverUrl, ...returned });
}

/** Connects to `/mcp` as a program that has signed in, until the test ends. */
export async function connectSignedIn(kind: Kind, memory: ProgramMemory, url: string) {
  const info = { name: "test", version: "1.0.0" };
  // biome-ignore lint/suspicious/noExplicitAny: the clients have no common type
  const client: any = kind === "sdk 1.x" ? new OldClient(info) : new Client(info);
  const transport = new (kind === "sdk 1.x" ? OldTransport : StreamableHTTPClientTransport)(new URL(url), {
    authProvider: memory as never,
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    tools: async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }: { name: string }) => name),
    call: (name: string, args: object = {}): Promise<ToolReply> => client.callTool({ name, arguments: args }),
  };
}

export const verifier = "a-verifier-of-a-client-that-is-long-enough-for-pkce";
export const challengeOf = (text: string) => createHash("sha256").update(text).digest("base64url");

export interface JsonReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  body: any;
}

/** The authorization server as a program reaches it. */
export function oauthOf(server: TestServer) {
  const at = (path: string) => server.baseUrl + path;
  const read = async (reply: Response): Promise<JsonReply> => ({
    status: reply.status,
    headers: reply.headers,
    body: await reply.json(),
  });
  const post = async (path: string, fields: Record<string, string>) =>
    read(await fetch(at(path), { method: "POST", body: new URLSearchParams(fields) }));
  const register = async (body: object = {}) =>
    read(
      await fetch(at("/oauth/register"), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_name: "Test Agent", redirect_uris: [redirectUri], ...body }),
      }),
    );
  return {
    register,
    clientId: async (body: object = {}): Promise<string> => (await register(body)).body.client_id,
    token: (fields: Record<string, string>) => post("/oauth/token", fields),
    revoke: (fields: Record<string, string>) => post("/oauth/revoke", fields),
    authorizeUrl: (clientId: string, changes: Record<string, string | undefined> = {}) => {
      const given: Record<string, string | undefined> = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: challengeOf(verifier),
        code_challenge_method: "S256",
        state: "xyz",
        scope: "read order",
        resource: at("/mcp"),
        ...changes,
      };
      const present = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return `/oauth/authorize?${new URLSearchParams(present)}`;
    },
    /** What `/mcp` answers to a token. */
    mcp: async (token: string, path = "/mcp") =>
      (
        await fetch(at(path), {
          method: "POST",
          headers: {
            accept: "application/json, text/event-stream",
            "content-type": "application/json",
            authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
        })
      ).status,
  };
}

/** What an owner chooses on the page: reading and ordering for $50 a day. */
export const readAndOrder = { "tool-order": "yes", perDay: "50", days: "90" };

const plain = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');

/** Where a page leads the browser by itself. */
export const leadsTo = ({ html }: Pick<Shown, "html">): URL | undefined => {
  const found = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(html)?.[1];
  return found === undefined ? undefined : new URL(plain(found));
};

/** Opens a program's request in a browser that is signed in, and sends the form with these choices. */
export async function decide(
  browser: Visitor,
  authorizePath: string,
  fields: Record<string, string> = readAndOrder,
  way: "allow" | "decline" = "allow",
): Promise<Shown> {
  const { location } = await browser.get(authorizePath);
  const { html } = await browser.get(location!);
  const action = `${location}/${way}`;
  return browser.send(action, { ...hiddenFields(html, action), ...fields });
}
