import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";

const fixture = eachOwnerFixture();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

describe("webhooks", () => {
  it("makes one, tests it, follows its deliveries, and deletes it after asking", async () => {
    const made = await fixture.run(["webhooks", "create", receiver.url, "--events", "slot.submitted,test.ping"]);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^whsec_\S+\n$/);
    const id = /webhook (\S+)\./.exec(made.stderr)?.[1] ?? "";
    expect(await fixture.run(`webhooks test ${id}`)).toMatchObject({ code: 0, stdout: "The endpoint returned status 200.\n" });
    expect(named((await fixture.run("webhooks list", { tty: true, columns: 120 })).stdout, { id })).toContain(
      "slot.submitted, test.ping  true",
    );
    receiver.answer(status(500));
    expect(await fixture.run(`webhooks test ${id}`)).toMatchObject({ code: 1, stdout: "The endpoint returned status 500.\n" });
    const listed = await fixture.run(`webhooks deliveries ${id} --json`);
    const { deliveries } = JSON.parse(listed.stdout);
    expect(deliveries.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([500, 200]);
    receiver.answer((response) => response.socket!.destroy());
    const why = "the endpoint closed the connection without a response";
    const stdout = `The endpoint could not be reached: ${why}.\n`;
    expect(await fixture.run(`webhooks test ${id}`)).toMatchObject({ code: 1, stdout });
    expect((await fixture.run(`webhooks deliveries ${id}`)).stdout).toContain(why);
    expect((await fixture.run(`webhooks doctor ${id} --send`)).stdout).toContain(`test.ping\tfailed\t${why}`);
    receiver.answer(status(200));
    expect((await fixture.run(`webhooks redeliver ${id} ${deliveries[0].id}`)).code).toBe(0);
    expect(await fixture.run(`webhooks delete ${id}`)).toMatchObject({ code: 2, stdout: "" });
    expect((await fixture.run(`webhooks delete ${id} --yes`)).code).toBe(0);
    expect((await fixture.run(`webhooks show ${id}`)).code).toBe(3);
  });

  it("makes one that gets all events unless --events says which", async () => {
    const { stdout } = await fixture.run(["webhooks", "create", receiver.url, "--format", "slack", "--json"]);
    const { secret, webhook } = JSON.parse(stdout);
    expect([secret, webhook]).toEqual([
      expect.stringMatching(/^whsec_/),
      expect.objectContaining({ events: ["*"], format: "slack" }),
    ]);
  });

  it("prints no secret where none is checked, unless a file is to keep it", async () => {
    const made = await fixture.run(["webhooks", "create", receiver.url, "--format", "teams"]);
    expect([made.code, made.stdout, made.stderr]).toEqual([
      ...[0, expect.stringMatching(/^Created webhook \S+\. Its messages are not checked with a secret\.\n$/), ""],
    ]);
    const file = join(testFolder(), "secret");
    await fixture.run(["webhooks", "create", receiver.url, "--format", "teams", "--secret-file", file]);
    expect(readFileSync(file, "utf8")).toMatch(/^whsec_/);
  });

  it("redelivers what happened since a time", async () => {
    const id = JSON.parse((await fixture.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    await fixture.emit("slot.submitted");
    await receiver.until(1);
    await fixture.server.advance(0);
    const again = await fixture.run(`webhooks redeliver ${id} --since 2026-03-01T12:00:00Z`);
    expect([again.code, again.stdout]).toEqual([0, "Queued 1 delivery.\n"]);
    await receiver.until(2);
    await fixture.server.advance(0);
    const none = await fixture.run(`webhooks redeliver ${id} --since 2026-03-01T12:00:00Z --undelivered --json`);
    expect(JSON.parse(none.stdout)).toEqual({ count: 0 });
    expect((await fixture.run(`webhooks redeliver ${id} --since 2099-01-01T00:00:00Z`)).stdout).toBe("Queued 0 deliveries.\n");
    expect((await fixture.run(`webhooks redeliver ${id} --since 2h`)).stdout).toBe("Queued 1 delivery.\n");
  });

  it("keeps a rotated secret out of sight in a file", async () => {
    const id = JSON.parse((await fixture.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    const file = join(testFolder(), "secret");
    const rotated = await fixture.run(["webhooks", "rotate-secret", id, "--yes", "--secret-file", file]);
    expect(rotated).toMatchObject({ code: 0, stdout: `Wrote the secret to ${file}.\n` });
    const kept = readFileSync(file, "utf8");
    for (const place of [file, join(file, "below")]) {
      const refused = await fixture.run(["webhooks", "rotate-secret", id, "--yes", "--secret-file", place, "-v"]);
      expect([refused.code, refused.stderr.includes("> POST")]).toEqual([1, false]);
      expect(refused.stderr).toContain("Nothing was done.");
    }
    expect(readFileSync(file, "utf8")).toBe(kept);
    const unknown = join(testFolder(), "secret");
    const nowhere = ["webhooks", "rotate-secret", "019a0000-0000-7000-8000-000000000000", "--yes", "--secret-file", unknown];
    expect([(await fixture.run(nowhere)).code, existsSync(unknown)]).toEqual([3, false]);
  });

  it("says what is wrong with a webhook", async () => {
    const id = JSON.parse((await fixture.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    receiver.answer(status(404));
    const { code, stdout } = await fixture.run(`webhooks doctor ${id} --send`);
    expect(code).toBe(1);
    expect(named(stdout, { id }).replaceAll(receiver.url, "RECEIVER")).toMatchInlineSnapshot(`
      "id       active	ok	yes
      id       https	failed	http://SERVER/hook
      id       dns	ok	127.0.0.1 resolves to 127.0.0.1
      id       deliveries	ok	none yet
      id       test.ping	failed	status 404
      "
    `);
  });

  it("counts as delivered what was delivered, not what waits", async () => {
    const id = JSON.parse((await fixture.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    const said = async () => (await fixture.run(`webhooks doctor ${id} --jq .result[3].detail`)).stdout;
    await fixture.emit("slot.submitted");
    await fixture.server.advance(0);
    await expect.poll(said).toBe("1 of the last 1 succeeded\n");
    receiver.answer(() => {});
    await fixture.emit("slot.accepted");
    expect(await said()).toBe("1 of the last 2 succeeded, 1 not attempted yet\n");
    receiver.answer(status(200));
  });

  it.each([
    ["webhooks create http://10.0.0.1/x --events *", 2, "<url>: "],
    ["webhooks create https://example.com --events slot.sumbitted", 2, "must be one of"],
    ["webhooks update 00000000-0000-7000-8000-000000000000", 2, "No changes given"],
    ["webhooks redeliver 00000000-0000-7000-8000-000000000000", 2, "Pass either a delivery id or --since."],
    [
      "webhooks redeliver 00000000-0000-7000-8000-000000000000 --since noon",
      2,
      "is not a duration with a unit, such as 2h or 30d, or a time",
    ],
    ["webhooks trigger slot.nothing", 2, "event"],
    ["webhooks trigger slot.submitted --data [1]", 2, "--data: must be a JSON object."],
    ["webhooks sign body.json", 2, "A signing secret is required."],
    ["webhooks listen --forward-to ftp://x", 2, "--forward-to"],
  ])("refuses `%s`", async (line, code, message) => {
    const ended = await fixture.run(line);
    expect(ended.stderr).toContain(message);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
  });
});

describe("webhooks sign and verify", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const env = { PLAYTEST_WEBHOOK_SECRET: secret };
  const body = '{"test": 2432232314}';

  it("signs as Standard Webhooks' own vector says", async () => {
    const { stdout } = await fixture.run("webhooks sign - --id msg_p5jXN8AQM9LWM0D4loKWxJek --timestamp 1614265330", {
      env,
      stdin: body,
    });
    expect(stdout).toContain("webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\n");
  });

  it.each([
    ["sign - --secret-file -", "--secret-file and body"],
    ["verify - --secret-file -", "--secret-file and body"],
    ["verify - --headers-file -", "--headers-file and body"],
  ])("%s: standard input is not both", async (line, both) => {
    const { code, stdout, stderr } = await fixture.run(`webhooks ${line}`, { env, stdin: secret });
    expect([code, stdout, stderr]).toEqual([2, "", `error: ${both} cannot both read standard input.\n`]);
  });

  it.each<[string, Partial<Record<"body" | "secret" | "signature" | "id", string>>, string[]]>([
    ["what is genuine", {}, []],
    [
      "another body",
      { body: '{"test":2432232314}' },
      ["x-wpg-signature\tfailed\tdoes not match", "webhook-signature\tfailed\tdoes not match"],
    ],
    ["a body with a line break more", { body: `${body}\n` }, ["matches only without the final line break of the body"]],
    [
      "another secret",
      { secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      ["x-wpg-signature\tfailed", "webhook-signature\tfailed"],
    ],
    [
      "another id",
      { id: "msg_other" },
      [
        "x-wpg-signature\tok\tmatches",
        "webhook-signature\tfailed\tdoes not match: the secret and body are right, but webhook-id",
      ],
    ],
  ])("tells %s", async (_, changed, expected) => {
    const headers = (await fixture.run("webhooks sign - --id msg_1", { env, stdin: body })).stdout;
    const folder = testFolder();
    writeFileSync(join(folder, "headers"), `POST / HTTP/1.1\n${headers.replace("msg_1", changed.id ?? "msg_1")}\n`);
    writeFileSync(join(folder, "body"), changed.body ?? body);
    const options = { cwd: folder, env: { PLAYTEST_WEBHOOK_SECRET: changed.secret ?? secret } };
    const { code, stdout } = await fixture.run("webhooks verify body --headers-file headers", options);
    expect(code).toBe(expected.length === 0 ? 0 : 1);
    for (const part of expected) expect(stdout).toContain(part);
  });

  it("tells a request that is too old, or not signed at all", async () => {
    const headers = (await fixture.run("webhooks sign - --timestamp 1614265330", { env, stdin: body })).stdout;
    const given = headers
      .trimEnd()
      .split("\n")
      .flatMap((line) => ["-H", line]);
    const late = await fixture.run(["webhooks", "verify", "-", ...given], { env, stdin: body });
    expect(late.code).toBe(1);
    expect(late.stderr).toBe("error: Verification failed: x-wpg-timestamp, webhook-timestamp.\n");
    expect((await fixture.run(["webhooks", "verify", "-", "--tolerance", "9999d", ...given], { env, stdin: body })).code).toBe(0);
    expect((await fixture.run("webhooks verify -", { env, stdin: body })).stderr).toContain("x-wpg-signature, webhook-signature");
  });
});
