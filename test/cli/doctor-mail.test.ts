import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import { freePort } from "../helpers/free-port.ts";

let folder: string;
let smtp: SMTPServer | undefined;
beforeEach(async () => {
  folder = join(testFolder(), "data");
  await playtest(["serve", "migrate", "--data", folder]);
});
afterEach(async () => {
  await new Promise<void>((resolve) => (smtp ? smtp.close(() => resolve()) : resolve()));
  smtp = undefined;
});

/** Starts a mail server that takes only emails to ada@example.com. Resolves to its URL, and what it took. */
async function startSmtp() {
  const taken: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onRcptTo: ({ address }, _session, done) =>
      done(address === "ada@example.com" ? null : Object.assign(new Error("No such mailbox"), { responseCode: 550 })),
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (chunk) => {
        text += String(chunk);
      });
      stream.on("end", () => done(null, void taken.push(text) as never));
    },
  });
  smtp = server;
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `smtp://127.0.0.1:${port}`, taken };
}

async function check(to: string, url?: string) {
  const env = {
    PLAYTEST_MAIL_FROM: "Playtest <no-reply@play.example.com>",
    ...(url !== undefined && { PLAYTEST_SMTP_URL: url }),
  };
  const { code, stdout, stderr } = await playtest(["serve", "doctor", "--data", folder, "--mail-to", to], { env });
  return { code, stderr, line: stdout.split("\n").find((line) => line.startsWith("test_email")) };
}

it("sends an email with the settings of the server", async () => {
  const { url, taken } = await startSmtp();
  expect(await check("ada@example.com", url)).toEqual({
    code: 0,
    stderr: "",
    line: `test_email\tok\tSMTP via ${url.slice(7)} took an email to ada@example.com from Playtest <no-reply@play.example.com>: look whether it arrived, and not among the spam`,
  });
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatch(/^From: Playtest <no-reply@play\.example\.com>\r\nTo: ada@example\.com\r\n/m);
  expect(taken[0]).toMatch(/^Message-ID: <\S+@play\.example\.com>/im);
});

it.each([
  ["a mailbox that the mail server does not know", async () => (await startSmtp()).url, "550 No such mailbox"],
  ["a mail server that is away", async () => `smtp://127.0.0.1:${await freePort()}`, "ECONNREFUSED"],
])("fails for %s, and says what to compare", async (_what, start, reason) => {
  const { code, stderr, line } = await check("eve@example.com", await start());
  expect({ code, line, stderr }).toEqual({
    code: 1,
    line: expect.stringContaining(`did not take an email to eve@example.com: `),
    stderr: expect.stringContaining("Compare PLAYTEST_SMTP_URL and PLAYTEST_MAIL_FROM with what your mail provider says"),
  });
  expect(line).toContain(reason);
});

it("names the domain of an international address as mail servers know it", async () => {
  const { url } = await startSmtp();
  expect((await check("eve@müller.example", url)).line).toContain("did not take an email to eve@xn--mller-kva.example: ");
});

it("says that nothing is sent without a mail server, and where the email is", async () => {
  const outbox = join(folder, "outbox");
  expect(await check("ada@example.com")).toEqual({
    code: 0,
    stderr: "",
    line: `test_email\twarning\tnothing was sent, because PLAYTEST_SMTP_URL is not set: the email is a file in ${outbox}`,
  });
  const [file] = readdirSync(outbox);
  expect(readFileSync(join(outbox, file!), "utf8")).toContain("Subject: Test email of a playtest server");
});

it("refuses what is no address, before anything is checked", async () => {
  const { code, stderr } = await check("ada");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "error: --mail-to takes an email address, not ada.\nNothing was checked.\n",
  });
});
