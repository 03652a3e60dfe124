import { expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { launchBrowser } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import { visitor } from "../helpers/portal.ts";

it("operators' pages: fit the width, are accessible, small, and break no content security policy", async () => {
  const server = await ownServer();
  const operator = await factories.firstAdmin(server);
  const owner = await factories.registerOwner(server, "Hearth & Co");
  await factories.giveCredit(server, owner, 100_000);
  const playtester = await factories.registerPlaytester(server, "Annegret Vierzehnheiligen");
  const game = await factories.createGame(owner, { name: "Donaudampfschifffahrtsgesellschaftskapitänssimulator" });
  await factories.order(owner, game);
  const slotId = await factories.claim(playtester, await factories.order(owner, game));
  await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash", notes: "Black screen." });
  const shown = (await operator.listAllPlaytests()).playtests[0]!;
  const accepted = await factories.play(server, playtester, await factories.order(owner, game));
  await owner.post(`/slots/${accepted}/accept`);
  const door = visitor(server);
  await door.submit("/admin/sign-in", "/admin/sign-in", { key: operator.key });
  const browser = await launchBrowser();
  const faults: string[] = [];
  for (const { width, scheme, rules } of looks) {
    const viewport = { width, height: 800 };
    const context = await browser.newContext({ baseURL: server.baseUrl, viewport, colorScheme: scheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    faults.push(...(await look(page, "operator-sign-in", "/admin/sign-in", rules, complaints)));
    await context.addCookies([...door.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })));
    for (const [name, path] of [
      ["operator-waiting", "/admin"],
      ["operator-playtests", "/admin/playtests"],
      ["operator-playtest", `/admin/playtests/${shown.id}`],
      ["operator-people", "/admin/people"],
      ["operator-person", `/admin/people/${playtester.id}`],
    ] as const) {
      faults.push(...(await look(page, name, path, rules, complaints)));
      expect(Buffer.byteLength(await page.content())).toBeLessThan(100_000);
    }
    await context.close();
  }
  await browser.close();
  await server.close();
  expect(faults).toEqual([]);
});
