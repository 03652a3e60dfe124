import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { type Certificate, probe } from "../../api/probe.ts";
import { type Route, routeTo, withoutBrackets } from "../../api/proxy.ts";
import { parseJson } from "../../api/replies.ts";
import { explain, tlsHint } from "../../api/transport.ts";
import type { Context } from "../../cli/define.ts";
import { CliError, exitCodes, isAbsent } from "../../errors.ts";
import { ago, plural } from "../../io/text.ts";
import { type Check, fail, failed, ok, warn } from "./doctor-check.ts";

const day = 86_400_000;
const soon = 14 * day;

function proxyCheck({ proxy, direct }: Route): Check {
  if (proxy) return ok("proxy", `${proxy.url.host} (from ${proxy.from})`);
  if (direct === undefined) return ok("proxy", "none");
  return ok("proxy", direct === "this machine" ? "not used for this machine" : `not used: NO_PROXY lists ${direct}`);
}

async function nameCheck({ hostname }: URL, { proxy }: Route): Promise<Check> {
  if (proxy) return ok("dns", `${hostname} is resolved by the proxy`);
  if (isIP(withoutBrackets(hostname))) return ok("dns", `${hostname} is an IP address`);
  return lookup(hostname, { all: true }).then(
    (found) => ok("dns", `${hostname} resolves to ${found.map(({ address }) => address).join(", ")}`),
    (error: Error) =>
      fail(
        "dns",
        `${hostname} cannot be resolved: ${error.message}`,
        "Check the base URL, the DNS server or the VPN.",
        exitCodes.unreachable,
      ),
  );
}

/** Checks the file that NODE_EXTRA_CA_CERTS names, because Node.js ignores a file it cannot read. */
function authorityCheck(ctx: Context): Check[] {
  const path = ctx.io.env.NODE_EXTRA_CA_CERTS;
  if (!path) return [];
  try {
    const count = readFileSync(path, "utf8").split("-----BEGIN CERTIFICATE-----").length - 1;
    if (count > 0) return [ok("authority", `${plural(count, "certificate")} in NODE_EXTRA_CA_CERTS (${path})`)];
    return [warn("authority", `NODE_EXTRA_CA_CERTS (${path}) contains no certificate`, "Set it to a file of PEM certificates.")];
  } catch (error) {
    return [
      warn("authority", `NODE_EXTRA_CA_CERTS cannot be read: ${(error as Error).message}`, "Correct the path, or unset it."),
    ];
  }
}

function certificateCheck(found: Certificate, now: number): Check {
  const { subject, issuer, until, distrust, protocol } = found;
  const expired = until <= now;
  const when = ago(new Date(until).toISOString(), now);
  const shown = `${protocol}, ${subject}, issued by ${issuer}, ${expired ? "expired" : "expires"} ${when}`;
  const renew = "The operator of the server must renew it.";
  if (expired) return fail("certificate", shown, renew, exitCodes.unreachable);
  if (distrust !== undefined) {
    const fix = `${tlsHint(distrust)} Otherwise do not send a key there.`;
    return fail("certificate", `${shown}: not trusted (${distrust})`, fix, exitCodes.unreachable);
  }
  return until - now < soon ? warn("certificate", shown, renew) : ok("certificate", shown);
}

const local = ({ hostname }: URL) =>
  routeTo(new URL(`http://${hostname}`), { HTTP_PROXY: "http://any" }).direct === "this machine";

async function connectionChecks(ctx: Context, url: URL, route: Route): Promise<Check[]> {
  const timeout = AbortSignal.timeout(ctx.settings().get("timeout")!.value * 1000);
  const forwarded = url.protocol === "http:" && route.proxy;
  try {
    const target = forwarded ? forwarded.url : url;
    const certificate = await probe(target, forwarded ? undefined : route.proxy, AbortSignal.any([ctx.signal, timeout]));
    const there = ok("connection", `${forwarded ? `the proxy ${forwarded.url.host}` : url.host} is reachable`);
    if (url.protocol === "https:" && certificate) return [there, certificateCheck(certificate, ctx.now())];
    const plain = "none: what is sent there is not encrypted";
    const found = local(url)
      ? ok("certificate", "not required on this machine")
      : warn("certificate", plain, "Use an https address.");
    return [there, found];
  } catch (error) {
    ctx.signal.throwIfAborted();
    return [failed("connection", explain(error, url, route.proxy, false))];
  }
}

/** Without extensions, every route but registration may ask for a key before it says that it does not exist. */
const needsKey = (error: unknown) => error instanceof CliError && error.code === "UNAUTHORIZED";

/** Checks the server's information, requested without a key, and the local clock against the server's. */
async function serverChecks(ctx: Context, baseUrl: string): Promise<Check[]> {
  try {
    const reply = await ctx.apiAt(baseUrl, undefined).call("getServerInfo", {});
    const { name, version, sandbox, extensions } = reply.data;
    const about = `${name} ${version}${sandbox ? ", sandbox mode" : ""}, ${plural(extensions.length, "extension")}`;
    return [ok("server", about), ...clockCheck(ctx, reply.headers.date)];
  } catch (error) {
    if (!isAbsent(error) && !needsKey(error)) return [failed("server", error)];
  }
  const reply = await ctx.apiAt(baseUrl, undefined).exchange({ method: "GET", path: "/games" });
  const isApi = typeof (parseJson(reply.body) as { error?: { code?: unknown } } | undefined)?.error?.code === "string";
  const clock = clockCheck(ctx, reply.headers.date);
  if (isApi) return [ok("server", "implements the API, without extensions"), ...clock];
  const fix = "Check the base URL: `playtest config explain`.";
  return [fail("server", `${baseUrl} does not implement the API (status ${reply.status})`, fix, exitCodes.unreachable)];
}

function clockCheck(ctx: Context, date: string | undefined): Check[] {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return [ok("clock", "the server does not report its time")];
  const seconds = Math.round((ctx.now() - there) / 1000);
  if (Math.abs(seconds) <= 5) return [ok("clock", "in sync with the server")];
  const shown = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the server`;
  if (Math.abs(seconds) <= 60) return [ok("clock", shown)];
  return [warn("clock", shown, "Correct this machine's clock; signatures and deadlines depend on it.")];
}

/** Checks everything up to the server's first reply. Stops at the first failure. */
export async function networkChecks(ctx: Context): Promise<Check[]> {
  const baseUrl = ctx.settings().get("baseUrl")!.value;
  const url = new URL(baseUrl);
  let route: Route;
  try {
    route = routeTo(url, ctx.io.env);
  } catch (error) {
    return [failed("proxy", error)];
  }
  const checks = [proxyCheck(route), await nameCheck(url, route)];
  if (checks.some(({ state }) => state === "fail")) return checks;
  checks.push(...authorityCheck(ctx), ...(await connectionChecks(ctx, url, route)));
  return checks.some(({ state }) => state === "fail") ? checks : [...checks, ...(await serverChecks(ctx, baseUrl))];
}
