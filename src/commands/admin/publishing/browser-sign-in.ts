import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Data } from "../../../api/client.ts";
import type { Context } from "../../../cli/define.ts";
import { CliError, exitCodes } from "../../../errors.ts";

/** What connects the account after somebody signed in with a browser of this computer. */
export interface Returned {
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

/** How long somebody may take to sign in. */
const patienceMs = 10 * 60_000;

const secret = () => randomBytes(32).toString("base64url");

/**
 * Opens the page of a platform in a browser, and waits until it returns to a port of this computer with a code, which is worth something
 * only with the verifier (PKCE).
 */
export async function signInWithBrowser(
  ctx: Context,
  begin: (redirect: { redirectUri: string; codeChallenge: string; state: string }) => Promise<Data<"startPublisherSignIn">>,
): Promise<Returned> {
  const [codeVerifier, state] = [secret(), secret()];
  const server = createServer();
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(patienceMs)]);
  const returned = new Promise<URL>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(tooLate()), { once: true });
    server.on("request", (request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      const mine = url.pathname === "/" && url.searchParams.get("state") === state;
      response.writeHead(mine ? 200 : 404, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
      response.end(mine ? "You can close this page and return to the terminal." : "Not found.");
      if (mine) resolve(url);
    });
  });
  returned.catch(() => {});
  try {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
    const { url } = await begin({ redirectUri, codeChallenge, state });
    const { openUrl } = await import("../../../io/shell.ts");
    const opened = ctx.io.terminal.stdout && (await openUrl(ctx.io, url));
    ctx.out.note(
      opened ? "Sign in with the browser that was opened." : `Open this address in a browser of this computer:\n  ${url}`,
    );
    const code = codeIn(await returned);
    return { code, codeVerifier, redirectUri };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function codeIn({ searchParams }: URL): string {
  const code = searchParams.get("code");
  if (code) return code;
  throw new CliError(
    "CONFLICT",
    exitCodes.conflict,
    `The sign-in was refused: ${searchParams.get("error") ?? "no code was returned"}. Nothing was connected.`,
  );
}

const tooLate = () =>
  new CliError("CONFLICT", exitCodes.conflict, "Nobody signed in. Nothing was connected. Run the command again.");
