import { ConfigError } from "../../config/read.ts";

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(\?[^#]*)?/;

/** The values of `target_session_attrs` that a server which writes can use. They all mean the primary. */
const usable = ["any", "read-write", "primary", "prefer-primary"];

/**
 * One URL per host of a connection string such as `postgres://user@one:5432,two:5432/playtest?target_session_attrs=read-write`. Throws
 * ConfigError for one that asks for a standby or lists hosts in a parameter.
 */
export function hostUrls(url: string): string[] {
  const [, start = "", hosts = "", path = "", query = ""] = shape.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get("target_session_attrs");
  if (wanted !== null && !usable.includes(wanted))
    throw refused(`target_session_attrs=${wanted} asks for a standby, which cannot be written. Leave it out.`);
  if (parameters.get("host")?.includes(","))
    throw refused("The parameter host lists several hosts. Name them before the path instead: postgres://USER@ONE,TWO/DATABASE.");
  if (!hosts.includes(",") && wanted === null) return [url];
  parameters.delete("target_session_attrs");
  const rest = parameters.size > 0 ? `?${parameters}` : "";
  return hosts.split(",").map((host) => `${start}${host}${path}${rest}`);
}

const refused = (message: string) => new ConfigError(`The database URL cannot be used. Nothing was opened. ${message}`);
