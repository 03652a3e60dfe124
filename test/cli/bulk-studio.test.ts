import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startStudio, testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";

/** The command and Studio order the rows of a file by the same rules. */

const fixture = eachOwnerFixture();
const at = "/studio/order/bulk";

async function both(text: string) {
  const file = join(testFolder(), "orders.csv");
  writeFileSync(file, text);
  const browser = await signedIn(fixture.server, fixture.owner, "/studio");
  const hidden = hiddenFields((await browser.get(at)).html, `${at}/check`);
  const check = () => browser.sendFile(`${at}/check`, hidden, { name: "orders.csv", bytes: Buffer.from(text), field: "file" });
  const press = async () =>
    (await browser.send(`${at}/place`, { ...hiddenFields((await check()).html, `${at}/check`), text })).html;
  const bulk = (flags: string) => fixture.run(`bulk ${file} ${flags}`);
  return { check, press, bulk };
}

const playtests = async () => (await fixture.owner.get(`/games/${fixture.gameId}/playtests`)).body.data.playtests.length;

it("rows without refs that one of them ordered are not ordered by the other", async () => {
  const { press, bulk } = await both("quantity,durationMinutes\n1,30\n1,30\n2,60\n");
  expect(await press()).toContain("3 playtests ordered for $70.00; 0 already ordered");
  expect(JSON.parse((await bulk("--yes --json")).stdout).result).toMatchObject({ ordered: 0, skipped: 3, spentCents: 0 });
  const other = await both("quantity,durationMinutes\n3,30\n");
  expect((await other.bulk("--yes")).code).toBe(0);
  expect(await other.press()).toContain("0 playtests ordered for $0.00; 1 already ordered");
  expect(await playtests()).toBe(4);
});

it("both say the same errors, but for where a game is set", async () => {
  const { check, bulk } = await both("quantity,durationMinutes,game,key\nmany,30,Lanten,\n1,45,,A B\n0,60,,\n");
  const { details, message } = JSON.parse((await bulk("--yes --json")).stderr);
  const { html } = await check();
  const alert = html
    .replace(/<[^>]+>/g, "")
    .replaceAll("&quot;", '"')
    .replace(/\s+/g, " ");
  expect(alert).toContain("orders.csv has");
  expect(message).toContain("orders.csv has");
  expect(details.length).toBeGreaterThan(3);
  for (const { field, message: what } of details) {
    const inStudio = what.replace(/ To list.*/, "").replace("is set for this directory", "is chosen for rows without one");
    expect(alert).toContain(`${field}: ${inStudio}`);
  }
});

it("`playtest studio` orders by the client, under the same keys", async () => {
  const { url, stop } = await startStudio({ baseUrl: fixture.server.baseUrl, key: fixture.owner.key });
  const entered = await fetch(url, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
  const base = `${new URL(url).origin}${entered.headers.get("location")!.replace(/\/studio$/, "")}`;
  const page = async (path: string, fields?: Record<string, string>) => {
    const body = fields && new URLSearchParams(fields);
    return (await fetch(base + path, { headers: { cookie }, ...(body && { method: "POST", body }) })).text();
  };
  const text = "quantity,ref\n1,mine\n2,\n";
  const path = (of: string) => new URL(base).pathname + of;
  const plan = await page(`${at}/check`, { ...hiddenFields(await page(at), path(`${at}/check`)), text });
  expect(plan).toContain("Order 2 playtests for $60.00</button>");
  const fields = { ...hiddenFields(plan, path(`${at}/check`)), text };
  expect(await page(`${at}/place`, fields)).toContain("2 playtests ordered for $60.00; 0 already ordered");
  expect(await page(`${at}/place`, fields)).toContain("0 playtests ordered for $0.00; 2 already ordered");
  await stop();
  const { bulk } = await both(text);
  expect(JSON.parse((await bulk("--yes --json")).stdout).result).toMatchObject({ ordered: 0, skipped: 2 });
});
