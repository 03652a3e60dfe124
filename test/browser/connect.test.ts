import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { authorizeBy, connectSignedIn, oauthOf, ProgramMemory } from "../helpers/oauth.ts";
import { sessionOf, visitor } from "../helpers/portal.ts";

const { browser, server } = await browserAndServer();
let owner: factories.Person;
let email: string;
/** The program on this computer that waits for the browser to come back, and what it came back with. */
let program: Server;
let uri: string;
const cameBack: URL[] = [];

beforeAll(async () => {
  owner = await factories.registerOwner(server, "Hearth & Co");
  email = (await owner.get("/auth/me")).body.data.email;
  program = createServer((request, response) => {
    cameBack.push(new URL(request.url!, uri));
    response.end("You can close this page.");
  });
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
  uri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
});

afterAll(async () => {
  program.close();
});

it("connecting a program: signing in, a budget that is missing and then given, and back to the program", async () => {
  const memory = new ProgramMemory({ name: "Claude Code", uri });
  const url = `${server.baseUrl}/mcp?allow=read,order`;
  expect(await authorizeBy("client 2.4", memory, url)).toBe("REDIRECT");
  const page = await (await browser.newContext()).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(memory.asked!.href);
  await page.getByLabel("Email", { exact: false }).last().fill(email);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Connect Claude Code?" }).waitFor();
  await page.getByLabel("Order playtests and pay").check();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("alert").getByText("must limit a day or a month").waitFor();
  expect(await page.getByLabel("Order playtests and pay").isChecked()).toBe(true);
  await page.getByLabel("The most to spend in a day").fill("50");
  complaints.length = 0;
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText("You can close this page.").waitFor();
  expect(complaints).toEqual([]);
  expect(await authorizeBy("client 2.4", memory, url, cameBack.at(-1)!.searchParams)).toBe("AUTHORIZED");
  const agent = await connectSignedIn("client 2.4", memory, url);
  expect(await agent.tools()).toContain("order_playtest");
});

describe.each(looks)("the page that connects a program, at $width px in a $scheme color scheme", ({ width, scheme, rules }) => {
  it("fits the width, is accessible and breaks no content security policy", async () => {
    const oauth = oauthOf(server);
    const id = await oauth.clientId({ client_name: `Donaudampfschifffahrts${"gesellschafts".repeat(5)}agent` });
    const [wanted, list] = [await visitor(server).get(oauth.authorizeUrl(id)), "/studio/account/keys"];
    const wrong = oauth.authorizeUrl(id, { redirect_uri: "https://evil.example/" });
    const context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width, height: 800 }, colorScheme: scheme });
    const cookie = await sessionOf(server, owner, "/studio");
    await giveSession(context, server, cookie);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const faults: string[] = [];
    for (const [name, path] of [
      ["connect", wanted.location!],
      ["connect-keys", list],
    ] as const)
      faults.push(...(await look(page, name, path, rules, complaints)));
    faults.push(
      ...(await look(page, "connect-refused", wrong, rules, complaints)).filter((text) => !text.includes("status of 400")),
    );
    expect(faults).toEqual([]);
  });
});
