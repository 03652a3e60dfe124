import { createHash } from "node:crypto";
import type { Bucket } from "../../../server/uploads/s3/bucket.ts";
import { until } from "./machine.ts";
import type { Servers } from "./servers.ts";
import { grantedCents, type Traffic } from "./traffic.ts";

/** What is wrong after all: things that were acknowledged and are not there, or that are there twice. */
export async function checkAll(traffic: Traffic, servers: Servers, bucket: Bucket): Promise<string[]> {
  return [
    ...(await checkOrders(traffic)),
    ...(await checkClaims(traffic)),
    ...(await checkBuilds(traffic, bucket)),
    ...checkDoctor(servers),
  ];
}

/** All items of a list that has pages. */
async function everything(traffic: Traffic, path: string, key: string, name: string): Promise<{ id: string }[]> {
  const items: { id: string }[] = [];
  for (let cursor = ""; ; ) {
    const { data, meta } = await traffic.persist({ what: "check", method: "GET", path: `${path}?limit=100${cursor}`, key });
    items.push(...data[name]);
    if (!meta.cursor) return items;
    cursor = `&cursor=${encodeURIComponent(meta.cursor)}`;
  }
}

async function checkOrders(traffic: Traffic): Promise<string[]> {
  const faults: string[] = [];
  const [commander, ...owners] = traffic.owners;
  for (const { key, gameId, orders } of owners) {
    const there = (await everything(traffic, `/games/${gameId}/playtests`, key, "playtests")).map(({ id }) => id);
    const lost = [...orders.keys()].filter((id) => !there.includes(id));
    if (lost.length > 0) faults.push(`${lost.length} acknowledged orders are gone`);
    if (there.length > orders.size) faults.push(`${there.length} orders of ${orders.size} keys`);
    const { data } = await traffic.persist({ what: "check", method: "GET", path: "/billing/balance", key });
    const spent = [...orders.values()].reduce((sum, cents) => sum + cents, 0);
    if (data.balanceCents !== grantedCents - spent)
      faults.push(`the credit is ${data.balanceCents}, not ${grantedCents} − ${spent}`);
  }
  const there = (await everything(traffic, `/games/${commander!.gameId}/playtests`, commander!.key, "playtests")).map(
    ({ id }) => id,
  );
  const lost = traffic.ordered.filter((id) => !there.includes(id));
  if (lost.length > 0) faults.push(`${lost.length} orders of the command are gone`);
  if (there.length > traffic.commands.length) faults.push(`${there.length} orders of ${traffic.commands.length} commands`);
  return faults;
}

async function checkClaims(traffic: Traffic): Promise<string[]> {
  const faults: string[] = [];
  for (const { key, slots } of traffic.testers) {
    const there = (await everything(traffic, "/playtester/slots", key, "slots")).map(({ id }) => id);
    const lost = slots.filter((id) => !there.includes(id));
    if (lost.length > 0) faults.push(`${lost.length} acknowledged claims are gone`);
    if (there.length !== new Set(slots).size) faults.push(`${there.length} slots of ${slots.length} claims`);
  }
  return faults;
}

async function checkBuilds(traffic: Traffic, bucket: Bucket): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, sha256 } of traffic.builds) {
    await until(`build ${id} is in the bucket`, async () => (await bucket.find(`builds/${id}`)) !== undefined);
    const hash = createHash("sha256");
    for await (const part of (await bucket.read(`builds/${id}`))!) hash.update(part);
    if (hash.digest("hex") !== sha256) faults.push(`build ${id} in the bucket is not what was sent`);
  }
  return faults;
}

function checkDoctor(servers: Servers): string[] {
  try {
    servers.operate(["serve", "doctor", "--ledger"]);
    return [];
  } catch (error) {
    return [`serve doctor --ledger: ${(error as { stdout?: string }).stdout ?? error}`];
  }
}
