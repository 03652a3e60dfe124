import * as z from "zod";
import type { Deps } from "../app/deps.ts";
import { AddressRefused } from "../outbound/index.ts";
import { jsonOf } from "../outbound/json.ts";
import { OAuthError } from "./error.ts";
import { cleanName, documentHost, isDocumentId, isRedirect } from "./rules.ts";

/** A program that asks to be connected. All of them are public: they keep no secret, and prove with PKCE that a code is theirs. */
export interface Client {
  id: string;
  /** As it calls itself. */
  name: string;
  redirects: readonly string[];
}

const redirects = z.array(z.string()).min(1).max(10);
const described = z.object({
  redirect_uris: redirects,
  client_name: z.string().max(1000).optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

/** What a client says of itself. Throws OAuthError for what no client here can be. */
function read(given: unknown): Omit<Client, "id"> {
  const parsed = described.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new OAuthError("invalid_client_metadata", `${issue?.path.join(".") || "the body"}: ${issue?.message}`);
  }
  const { redirect_uris, client_name = "", grant_types = ["authorization_code"], response_types = ["code"] } = parsed.data;
  const wrong = redirect_uris.find((uri) => !isRedirect(uri));
  if (wrong !== undefined)
    throw new OAuthError(
      "invalid_redirect_uri",
      "redirect_uris must be HTTPS addresses, http addresses of localhost, 127.0.0.1 or [::1], or addresses of the program's own scheme.",
    );
  if (!grant_types.includes("authorization_code"))
    throw new OAuthError("invalid_client_metadata", "grant_types must have authorization_code.");
  if (!response_types.includes("code")) throw new OAuthError("invalid_client_metadata", "response_types must have code.");
  return { name: cleanName(client_name) || "A program without a name", redirects: redirect_uris };
}

const prefix = "ptc_";
const maxIdLength = 4096;
const purpose = "oauth client";

/**
 * Registers a client (RFC 7591). Its id is what it said, signed: anybody may register, so nothing is stored for it. Throws OAuthError.
 */
export function register({ secrets, clock }: Pick<Deps, "secrets" | "clock">, given: unknown) {
  const { name, redirects } = read(given);
  const issuedAt = Math.floor(clock.now() / 1000);
  const payload = Buffer.from(JSON.stringify([name, redirects, issuedAt])).toString("base64url");
  const id = `${prefix}${payload}.${secrets.mac(purpose, payload)}`;
  if (id.length > maxIdLength) throw new OAuthError("invalid_client_metadata", "client_name and redirect_uris are too long.");
  return {
    client_id: id,
    client_id_issued_at: issuedAt,
    client_name: name,
    redirect_uris: redirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

const unknown = () =>
  new OAuthError(
    "invalid_client",
    "client_id is not known here. Register the client again, or use the HTTPS address of its document.",
  );

/** The client with this id: one that registered, or one whose document the id is the address of. Throws OAuthError. */
export async function clientOf(deps: Deps, id: string): Promise<Client> {
  if (id.startsWith(prefix)) return registered(deps, id);
  if (!isDocumentId(id)) throw unknown();
  return documented(deps, id);
}

function registered({ secrets }: Deps, id: string): Client {
  const [payload = "", mac = ""] = id.slice(prefix.length).split(".");
  if (id.length > maxIdLength || !secrets.isMacOfRing(purpose, payload, mac)) throw unknown();
  const [name, redirects] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, string[]];
  return { id, name, redirects };
}

const maxDocumentBytes = 16 * 1024;
const deadlineMs = 5_000;

/** Reads the document of a client (Client ID Metadata Documents) from an address that anybody may name. */
async function documented({ outbound, log }: Deps, id: string): Promise<Client> {
  const wanted = {
    url: id,
    method: "GET",
    headers: { accept: "application/json" },
    deadlineMs,
    maxBytes: maxDocumentBytes,
  } as const;
  const reply = await outbound.request(wanted).catch((error: unknown) => {
    if (!(error instanceof AddressRefused))
      log.info({ err: error, client: documentHost(id) }, "the document of a client could not be read");
    return undefined;
  });
  const document = reply?.status === 200 && reply.complete ? jsonOf(reply) : undefined;
  const about = z
    .object({ client_id: z.literal(id), token_endpoint_auth_method: z.literal("none").optional() })
    .safeParse(document);
  if (!about.success)
    throw new OAuthError(
      "invalid_client",
      `${id} is not the document of a client: a JSON object of at most 16 KiB with this address as client_id, for a client without a secret.`,
    );
  return { id, ...read(document) };
}
