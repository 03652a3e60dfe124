import { CliError, exitCodes } from "../errors.ts";

/** The address of an instance as `https://host/prefix`, without `/api/v1` and trailing slash. Throws on anything but http(s). */
export function instanceUrl(address: string): string {
  const candidate = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const url = URL.canParse(candidate) ? new URL(candidate) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new CliError("USAGE", exitCodes.usage, `${JSON.stringify(address)} is not a valid http or https address.`);
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/api(\/v1)?$/, "");
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
