import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { readBrand, senderOf } from "../../server/config/brand.ts";
import { defaults } from "../../server/config/defaults.ts";
import { contrast, readableOn, textOn } from "../../server/lib/contrast.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { visitor } from "../helpers/portal.ts";
import { freshFolder } from "../helpers/store.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const brand = { name: "Lantern Playtests", logo: "logo", color: "#ffe14d", sender: "Lantern", ...links() };
function links() {
  return { termsUrl: "https://lantern.example/terms", privacyUrl: "https://lantern.example/privacy" };
}

describe("contrast", () => {
  it.each(["#ffe14d", "#000000", "#ffffff", "#1d5fd1", "#ff0000", "#00ff00", "#808080"])("%s: text can be read", (color) => {
    expect(contrast(textOn(color), color)).toBeGreaterThanOrEqual(4.5);
    for (const backgrounds of [
      ["#ffffff", "#f2f4f7", "#eef3fc"],
      ["#12161c", "#1b212a", "#222c3b"],
    ])
      for (const background of backgrounds)
        expect(contrast(readableOn(color, backgrounds), background)).toBeGreaterThanOrEqual(4.5);
  });

  it("measures as WCAG does", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
    expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 1);
  });
});

describe("the logo", () => {
  const read = (bytes: string | Buffer) => {
    const folder = freshFolder();
    writeFileSync(join(folder, "logo"), bytes);
    return readBrand({ brand }, folder).logo!.type;
  };
  it.each([
    ["PNG", png, "image/png"],
    ["JPEG", Buffer.from("ffd8ffe0", "hex"), "image/jpeg"],
    ["SVG", '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"],
  ])("%s: is recognized by its content", (_, bytes, type) => expect(read(bytes)).toBe(type));
  it.each([
    ["a page", "<html><svg></svg></html>", "is not a PNG, JPEG, WebP or SVG picture"],
    ["too large", Buffer.concat([png, Buffer.alloc(300 * 1024)]), "A logo has at most 262144"],
  ])("%s: the server does not start", (_, bytes, said) => expect(() => read(bytes)).toThrow(said));
  it("missing: the server does not start", () => expect(() => readBrand({ brand }, freshFolder())).toThrow("cannot be read"));
});

it("sender: keeps the configured address", () => {
  const from = (text: string) => senderOf({ brand, mail: { ...defaults.mail, from: text } });
  expect([from("playtest <no-reply@lantern.example>"), from("no-reply@lantern.example")]).toEqual([
    '"Lantern" <no-reply@lantern.example>',
    '"Lantern" <no-reply@lantern.example>',
  ]);
});

onBothDatabases("brand", (serve) => {
  it("pages and emails: show name, logo, color and links; the documentation does not", async () => {
    const dataDir = freshFolder();
    writeFileSync(join(dataDir, "logo"), png);
    const server = await serve({ dataDir, config: (config) => Object.assign(config.brand, brand) });
    const person = visitor(server);
    for (const path of ["/", "/play/sign-in", "/play/register", "/play/forgot", "/nothing-here"]) {
      const { html, headers } = await person.get(path);
      expect(html).toContain("Lantern Playtests");
      expect(html).toContain('href="/assets/brand.css?v=');
      expect(html).toContain('<a href="https://lantern.example/terms">Terms</a>');
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self'; /);
    }
    expect((await person.get("/play/register")).html).toContain('accept the <a href="https://lantern.example/terms">');
    expect((await person.get("/play/sign-in")).html).toMatch(/<img src="\/assets\/logo\?v=\w+" alt="">/);
    expect((await person.get("/docs")).html).not.toMatch(/Lantern|brand\.css/);
    expect((await person.get("/assets/brand.css")).html).toContain("--accent-ink: #");
    const logo = await person.get("/assets/logo");
    expect([logo.headers.get("content-type"), logo.headers.get("content-security-policy")]).toEqual([
      "image/png",
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ]);
    const key = (await ensureAdmin(server.deps))!;
    await server.request("POST", "/admin/invitations", { key, body: { invitations: [{ email: "tess@example.com" }] } });
    await server.advance(0);
    const [mail] = server.mails;
    expect(mail).toMatchObject({ subject: "You are invited to Lantern Playtests", from: '"Lantern" <no-reply@localhost>' });
    expect(mail!.html).toContain("background:#ffe14d;color:#000000");
    expect(mail!.html).toContain('<p style="font-weight:700">Lantern Playtests</p>');
  });

  it("without a brand: nothing is loaded for one", async () => {
    const { html } = await visitor(await serve()).get("/");
    expect(html).not.toMatch(/brand\.css|<footer>|assets\/logo/);
    expect((await visitor(await serve()).get("/assets/logo")).status).toBe(404);
  });
});
