import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldStreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { program } from "./process.ts";

/** The official clients: the newest in both revisions, and the one before it. */
export const clientKinds = ["client 2.4, 2026-07-28", "client 2.4, 2025-11-25", "sdk 1.x"] as const;
export type ClientKind = (typeof clientKinds)[number];
export const transports = ["http", "stdio"] as const;
export type TransportKind = (typeof transports)[number];

export interface ToolReply {
  isError?: boolean;
  content: { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  structuredContent: any;
}

export interface Agent {
  /** Names of the tools that it is offered. */
  tools(): Promise<string[]>;
  /** The answer of a tool; what the protocol throws is thrown. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolReply>;
  /** What its user was asked. */
  asked: string[];
  // biome-ignore lint/suspicious/noExplicitAny: the clients have no common type
  client: any;
}

export interface AgentOptions {
  kind?: ClientKind;
  transport?: TransportKind;
  baseUrl: string;
  key: string;
  /** Toolsets; all of the transport unless given. */
  allow?: string;
  /** What its user answers; without, the client cannot ask. */
  answer?: "accept" | "decline" | "cancel";
  /** More flags of the command, or parts of the address. */
  reviewsPerDay?: number;
  /** Where the command runs. */
  folder?: string;
}

const info = { name: "test", version: "1.0.0" };

// biome-ignore lint/suspicious/noExplicitAny: the clients have no common type
function clientOf({ kind, answer }: AgentOptions, asked: string[]): any {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const reply = async (request: { params: { message: string } }) => {
    asked.push(request.params.message);
    return { action: answer!, ...(answer === "accept" && { content: {} }) };
  };
  if (kind === "sdk 1.x") {
    const client = new OldClient(info, { capabilities });
    if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, reply as never);
    return client;
  }
  const isNew = kind === "client 2.4, 2026-07-28";
  const client = new Client(info, { capabilities, ...(isNew && { versionNegotiation: { mode: { pin: "2026-07-28" } } }) });
  if (answer !== undefined) client.setRequestHandler("elicitation/create", reply as never);
  return client;
}

function transportOf({ kind, transport, baseUrl, key, allow, reviewsPerDay, folder = "/" }: AgentOptions) {
  const isOld = kind === "sdk 1.x";
  if (transport === "http") {
    const url = new URL(`${baseUrl}/mcp?allow=${allow ?? "read,order,review"}`);
    if (reviewsPerDay !== undefined) url.searchParams.set("reviews", String(reviewsPerDay));
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    return new (isOld ? OldStreamableHTTPClientTransport : StreamableHTTPClientTransport)(url, { requestInit });
  }
  const limit = reviewsPerDay === undefined ? [] : ["--reviews-per-day", String(reviewsPerDay)];
  const allowed = allow ?? "read,order,build,review";
  const root = allowed.includes("build") ? ["--root", folder] : [];
  const args = [program, "mcp", "--allow", allowed, ...limit, ...root];
  const env = {
    PATH: process.env.PATH!,
    HOME: folder,
    PLAYTEST_CONFIG_DIR: `${folder}/config`,
    PLAYTEST_BASE_URL: baseUrl,
    PLAYTEST_API_KEY: key,
  };
  return new (isOld ? OldStdioClientTransport : StdioClientTransport)({ command: process.execPath, args, env, cwd: folder });
}

/** A client that is connected until the test ends. */
export async function connect(options: AgentOptions): Promise<Agent> {
  const given = { kind: clientKinds[0], transport: transports[0], ...options };
  const asked: string[] = [];
  const client = clientOf(given, asked);
  await client.connect(transportOf(given));
  onTestFinished(() => client.close());
  return {
    client,
    asked,
    tools: async () => (await client.listTools()).tools.map(({ name }: { name: string }) => name),
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
  };
}
