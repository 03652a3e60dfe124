import { CliError, exitCodes } from "../errors.ts";

/** Whether a host name of a URL is this machine. */
export const isLoopback = (hostname: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Without a scheme: https, but http for this machine, where `playtest serve` has no certificate. */
function withScheme(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address;
  const plain = `http://${address}`;
  return URL.canParse(plain) && isLoopback(new URL(plain).hostname) ? plain : `https://${address}`;
}

/** The address of an instance as `https://host/prefix`, without `/api/v1` and trailing slash. Throws on anything but http(s). */
export function instanceUrl(address: string): string {
  const candidate = withScheme(address);
  const url = URL.canParse(candidate) ? new URL(candidate) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new CliError("USAGE", exitCodes.usage, `${JSON.stringify(address)} is not a valid http or https address.`);
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/api(\/v1)?$/, "");
}

const unusable = (message: string, hint?: string) => new CliError("UNSAFE_URL", exitCodes.usage, message, { hint });

/** Whether a text is an absolute http or https URL. */
export const isWebUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * A URL from a server, which may be hostile. Its `href` begins with `http`, so that no program takes it for an option, a local file or
 * a path on the network. Throws for any other text; nothing has been done with it then.
 */
export function webUrl(text: unknown): URL {
  if (typeof text === "string" && isWebUrl(text)) return new URL(text);
  const shown = JSON.stringify(text) ?? "nothing";
  throw unusable(
    `${shown.length > 200 ? `${shown.slice(0, 200)}…` : shown} is not an http or https URL. It was not opened.`,
    "The server or somebody who uses it set this address. Tell its operator.",
  );
}

/** Throws if what is sent to this URL could be read on the way: over plain http to another machine. `what` was not sent then. */
export function requireEncryption(url: URL, what: string): void {
  if (url.protocol === "https:" || isLoopback(url.hostname)) return;
  throw new CliError("INSECURE", exitCodes.usage, `${what} was not sent to ${url.origin}: the connection is not encrypted.`, {
    hint: "Use an https address. To send it unencrypted nevertheless, pass --insecure or set PLAYTEST_INSECURE.",
  });
}

/** A path template with its parameters filled in, each escaped into one segment. */
export function fillPath(template: string, params: Record<string, string>) {
  return template.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (!value || value === "." || value === "..") throw new CliError("USAGE", exitCodes.usage, `${name} must not be empty.`);
    return encodeURIComponent(value);
  });
}

/** The values that are set as `?a=b`; empty if none are. */
export function queryString(query: object) {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** Whether a path, without its query, is one of a template such as `/games/:id`. */
export const isAt = (template: string, path: string) => new RegExp(`^${template.replace(/:\w+/g, "[^/]+")}$`).test(path);
