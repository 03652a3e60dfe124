import { describe, expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import { type Answer, startReceiver, status } from "../helpers/receiver.ts";
import type { TestServer } from "../helpers/server.ts";

const bytesOf = (start: string, size = 200) => Buffer.concat([Buffer.from(start, "latin1"), Buffer.alloc(size - start.length)]);
const png = bytesOf("\x89PNG\r\n\x1a\n");
const jpeg = bytesOf("\xff\xd8\xff\xe0");
const minute = 60_000;

const sends =
  (body: Buffer, type = "image/svg+xml"): Answer =>
  (response) =>
    response.writeHead(200, { "Content-Type": type, "Content-Length": body.length }).end(body);

const leadsTo = (location: string) => status(302, { Location: location });

onBothDatabases("cover images", (serve, it) => {
  async function offered(server: TestServer, answer: Answer) {
    const receiver = await startReceiver(answer);
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 10_000);
    const gameId = await createGame(owner, { coverImageUrl: receiver.url });
    await order(owner, gameId);
    const playtester = await registerPlaytester(server);
    const coverPath = async (): Promise<string | null> => (await playtester.listOffers()).playtests[0]!.game.coverPath;
    return { receiver, owner, gameId, playtester, coverPath };
  }

  it.each([
    ["a PNG", png, "image/png"],
    ["a JPEG", jpeg, "image/jpeg"],
    ["a GIF", bytesOf("GIF89a"), "image/gif"],
    ["a WebP", bytesOf("RIFF\x10\0\0\0WEBPVP8 "), "image/webp"],
  ])("%s is fetched once, and served with the type of its bytes", async (_name, image, type) => {
    const server = await serve();
    const { receiver, playtester, coverPath } = await offered(server, sends(image));
    const ann = await signedIn(server, playtester);
    await server.advance(0);
    const path = (await coverPath())!;
    expect((await ann.get("/play")).html).toContain(`<img class="cover" src="${path}" alt=""`);
    const reply = await fetch(server.baseUrl + path);
    expect(Buffer.from(await reply.arrayBuffer()).equals(image)).toBe(true);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": type,
      "cache-control": "private, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
    });
    await server.advance(24 * 60 * minute);
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });

  it("the picture at an address is fetched again after a week, and when its owner names the address again", async ({
    server,
  }) => {
    const { receiver, owner, gameId, coverPath } = await offered(server, sends(png));
    await server.advance(0);
    const first = await coverPath();
    receiver.answer(sends(jpeg));
    await server.advance(6 * 24 * 60 * minute);
    expect(await coverPath()).toBe(first);
    await server.advance(24 * 60 * minute);
    const second = (await coverPath())!;
    expect(second).not.toBe(first);
    expect((await fetch(server.baseUrl + second)).headers.get("content-type")).toBe("image/jpeg");
    receiver.answer(sends(png));
    await owner.updateGame({ params: { id: gameId }, body: { coverImageUrl: receiver.url } });
    await server.advance(0);
    expect(await coverPath()).toBe(first);
    await receiver.close();
  });

  it("an image stays when its address gives none any more, which is asked again every week", async ({ server }) => {
    const { receiver, coverPath } = await offered(server, sends(png));
    await server.advance(0);
    receiver.answer(status(404));
    await server.advance(15 * 24 * 60 * minute);
    expect([await coverPath(), receiver.received.length]).toEqual([expect.any(String), 3]);
    await receiver.close();
  });

  const refused: [name: string, answer: Answer][] = [
    ["an SVG that says it is a PNG", sends(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"), "image/png")],
    ["a page", sends(Buffer.from("<!doctype html><script>alert(1)</script>"), "image/png")],
    ["too many bytes", sends(bytesOf("\x89PNG\r\n\x1a\n", 1024 * 1024 + 1), "image/png")],
    ["a 404", status(404)],
    ["a redirect to a private address", leadsTo("http://169.254.169.254/latest/meta-data")],
    ["a redirect to a file", leadsTo("file:///etc/passwd")],
    ["redirects for ever", (response, request) => response.writeHead(302, { Location: `${request.url}x` }).end()],
  ];
  it.each(refused)("%s: none is stored, and it is not tried again", async (_name, answer) => {
    const server = await serve();
    const { receiver, coverPath } = await offered(server, answer);
    await server.advance(0);
    const tries = receiver.received.length;
    await server.advance(24 * 60 * minute);
    expect([await coverPath(), receiver.received.length]).toEqual([null, tries]);
    await receiver.close();
  });

  it("a private address is refused without a connection, unless the server is a sandbox", async ({ server }) => {
    const { receiver, owner, gameId } = await offered(server, sends(png));
    await owner.updateGame({ params: { id: gameId }, body: { coverImageUrl: "https://10.1.2.3/cover.png" } });
    await server.advance(0);
    expect(server.lines.filter((line) => line.includes("could not fetch a cover image")).join()).toContain("10.1.2.3 is private");
    await receiver.close();
  });

  it("a server that fails is asked again, five times at most", async ({ server }) => {
    const { receiver, coverPath } = await offered(server, status(503));
    await server.advance(0);
    expect(receiver.received).toHaveLength(1);
    await server.advance(24 * 60 * minute);
    expect([receiver.received.length, await coverPath()]).toEqual([5, null]);
    await receiver.close();
  });

  it("another address is fetched, and until then the earlier image is not shown", async ({ server }) => {
    const { receiver, owner, gameId, playtester, coverPath } = await offered(server, sends(png));
    await server.advance(0);
    const first = (await coverPath())!;
    receiver.answer(status(503));
    await owner.updateGame({ params: { id: gameId }, body: { coverImageUrl: `${receiver.url}?2` } });
    await server.advance(0);
    expect((await (await signedIn(server, playtester)).get("/play")).html).toContain('<span class="cover" aria-hidden="true">');
    receiver.answer(sends(jpeg));
    await server.advance(minute);
    const second = (await coverPath())!;
    expect(second).not.toBe(first);
    expect((await fetch(server.baseUrl + second)).headers.get("content-type")).toBe("image/jpeg");
    expect((await fetch(server.baseUrl + first)).status).toBe(404);
    await owner.updateGame({ params: { id: gameId }, body: { coverImageUrl: null } });
    expect([await coverPath(), (await fetch(server.baseUrl + second)).status]).toEqual([null, 404]);
    await receiver.close();
  });

  describe("addresses", () => {
    it.each(["/covers", "/covers/x/y", "/covers/x/y/z"])("%s: not found", async (path) => {
      expect((await visitor(await serve()).get(path)).status).toBe(404);
    });
  });
});
