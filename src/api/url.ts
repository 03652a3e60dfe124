import { CliError, exitCodes } from "../errors.ts";

/** `https://host/prefix` of an instance's address: no `/api/v1`, no slash at the end. Throws on anything but http(s). */
export function instanceUrl(address: string): string {
  const candidate = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  const url = URL.canParse(candidate) ? new URL(candidate) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new CliError("USAGE", exitCodes.usage, `${address} is not the http(s) address of a server.`);
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/api(\/v1)?$/, "");
}

/** A path template with its parameters filled in, each as one segment whatever it holds. */
export function fillPath(template: string, params: Record<string, string>) {
  return template.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (!value || value === "." || value === "..") throw new CliError("USAGE", exitCodes.usage, `${name} must not be empty.`);
    return encodeURIComponent(value);
  });
}

/** `?a=b` of the values that are set; empty when none is. */
export function queryString(query: object) {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
