import { ownerWithGame, type Person, registerPlaytester } from "./factories.ts";
import type { Market } from "./market.ts";
import type { TestServer } from "./server.ts";

/** An owner with $1,000.00 and a game, and a playtester. Pages have to escape their names. */
export async function pagesMarket(server: TestServer): Promise<Market> {
  const { owner, gameId } = await ownerWithGame(server, 100_000, "Hearth & Co", { buildUrl: `${server.baseUrl}/build.zip` });
  return { server, owner, gameId, playtester: await registerPlaytester(server, "Ann <b>") };
}

/** A page as a browser without scripts gets it. */
export interface Shown {
  status: number;
  location: string | null;
  headers: Headers;
  html: string;
}

export interface PlainFile {
  name: string;
  bytes: Buffer;
  /** The name of its field. */
  field?: string;
}

/** A form with a file as browsers write it. */
export function plainForm(
  fields: Record<string, string>,
  { name, bytes, field: fileField = "video" }: PlainFile,
): { head: string; body: Buffer } {
  const boundary = "----a-boundary";
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="${fileField}"; filename="${name}"\r\nContent-Type: video/mp4\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(parts.join("") + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { head: `multipart/form-data; boundary=${boundary}`, body };
}

export interface Visitor {
  cookies: Map<string, string>;
  get(path: string): Promise<Shown>;
  /** Posts the given fields and nothing else. */
  send(path: string, fields: Record<string, string>): Promise<Shown>;
  /** Posts the fields and then a file, as a form with a file does. */
  sendFile(path: string, fields: Record<string, string>, file: PlainFile): Promise<Shown>;
  cookie(): string;
  /**
   * Opens `page` and posts the form on it that goes to `action`, its hidden fields included. A page that leads on (303) or is gone (410)
   * has no form and is returned.
   */
  submit(page: string, action: string, fields?: Record<string, string>): Promise<Shown>;
}

const plain = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

/** The hidden fields of the form that posts to `action`. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const form = html.split("<form ").find((part) => part.includes(`action="${action}"`) && !part.includes('method="get"'));
  if (!form) throw new Error(`no form posts to ${action} in: ${html}`);
  const inputs = form.split("</form>")[0]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name!, plain(value!)]));
}

/** Somebody with cookies and no scripts. */
export function visitor(server: TestServer): Visitor {
  const cookies = new Map<string, string>();

  const cookieLine = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

  async function ask(path: string, init: RequestInit = {}): Promise<Shown> {
    const cookie = cookieLine();
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) };
    const reply = await fetch(server.baseUrl + path, { ...init, headers, redirect: "manual" });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return { status: reply.status, location: reply.headers.get("location"), headers: reply.headers, html: await reply.text() };
  }

  const send = (path: string, fields: Record<string, string>) =>
    ask(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });

  return {
    cookies,
    get: (path) => ask(path),
    send,
    sendFile: (path, fields, file) => {
      const { head, body } = plainForm(fields, file);
      return ask(path, { method: "POST", headers: { "content-type": head }, body });
    },
    cookie: cookieLine,
    submit: async (page, action, fields = {}) => {
      const shown = await ask(page);
      return [303, 410].includes(shown.status) ? shown : send(action, { ...hiddenFields(shown.html, action), ...fields });
    },
  };
}

/** Claims a slot of a playtest on the page of its offer. */
export const claimInBrowser = (browser: Visitor, playtestId: string): Promise<Shown> =>
  browser.submit(`/play/offers/${playtestId}`, `/play/offers/${playtestId}/claim`, { sure: "yes" });

/** Signs in by password, as a playtester at `/play` or as an owner at `/studio`. */
export async function signedIn(server: TestServer, who: Person, base: "/play" | "/studio" = "/play"): Promise<Visitor> {
  const { email } = (await who.get("/auth/me")).body.data;
  const person = visitor(server);
  const reply = await person.submit(`${base}/sign-in`, `${base}/sign-in/password`, { email, password: "correct horse" });
  if (reply.status !== 303) throw new Error(`could not sign in: ${reply.status} ${reply.html}`);
  return person;
}

/** The cookie of a session of somebody who signed in by password. */
export const sessionOf = async (...who: Parameters<typeof signedIn>): Promise<string> =>
  (await signedIn(...who)).cookies.get("playtest_session")!;
