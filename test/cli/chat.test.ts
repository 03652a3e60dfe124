import { beforeEach, describe, expect, it } from "vitest";
import { type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
let pim: Person;
const as = (person: Person) => ({ key: person.key });

beforeEach(async () => {
  pim = await registerPlaytester(fixture.server, "Pim");
  const slotId = await play(fixture.server, pim, await fixture.order());
  await fixture.owner.post(`/playtests/slots/${slotId}/accept`);
});

describe("chat", () => {
  it("chat send: opens the conversation with the first message, by the name of the contact", async () => {
    const sent = await fixture.run(["chat", "send", "pim", "Hello there"]);
    expect(sent).toMatchObject({ code: 0, stderr: "Sent to Pim.\n" });
    expect((await fixture.run("chat list", as(pim))).stdout).toMatch(/^\S+\t\S+\t1\ttrue\t\S+\tHello there\n$/);
    // On a terminal, the writer sees that the last message is their own.
    expect((await fixture.run("chat list", { ...as(pim), tty: true })).stdout).toMatch(/ {2}Hello there\n$/);
    expect((await fixture.run("chat list", { tty: true })).stdout).toMatch(/ {2}You: Hello there\n$/);
    expect(JSON.parse((await fixture.run("chat unread --json", as(pim))).stdout)).toEqual({ unreadCount: 1 });
    const piped = await fixture.run(["chat", "send", "Pim", "-"], { stdin: "from a pipe\n" });
    expect(piped.code).toBe(0);
    const { stdout } = await fixture.run(["chat", "read", "Pim"], { tty: { stdout: true } });
    expect(stdout).toMatchInlineSnapshot(`
      "SENT  FROM   MESSAGE
      now   owner  Hello there
      now   owner  from a pipe
      "
    `);
  });

  it("chat read: prints the newest messages oldest first, with control characters escaped", async () => {
    for (const text of ["one", "two", "three \u001b]0;owned\u0007"]) await fixture.run(["chat", "send", "Pim", text]);
    const owner = JSON.parse((await fixture.run("chat list --json", as(pim))).stdout).contacts[0].id;
    const { stdout } = await fixture.run(["chat", "read", owner, "--limit", "2"], as(pim));
    expect(stdout).toBe("2026-03-01T12:00:00.000Z\towner\ttwo\n2026-03-01T12:00:00.000Z\towner\tthree \\u001b]0;owned\\u0007\n");
    expect(JSON.parse((await fixture.run("chat unread --json", as(pim))).stdout).unreadCount).toBeLessThan(3);
  });

  it("chat read --follow: prints each new message once, however many, and none from before, until interrupted", async () => {
    const send = async (texts: readonly string[]) => {
      for (const text of texts) await fixture.run(["chat", "send", "Pim", text]);
      await fixture.server.advance(1000);
    };
    const many = Array.from({ length: 60 }, (_, at) => `more ${at}`);
    await send(["before"]);
    await send(["first"]);
    let looks = 0;
    const ended = await fixture.run("chat read Pim --follow --ndjson --limit 1", {
      outside: {
        sleep: async (_, signal) => {
          signal?.throwIfAborted();
          looks += 1;
          if (looks === 1) await send(["second", ...many]);
          if (looks !== 2) return;
          await send(["late"]);
          // As a server whose clock is behind writes it.
          const { store } = fixture.server.deps;
          await store.write((tx) => tx.run("UPDATE messages SET created_at = created_at - 1500 WHERE content = 'late'"));
        },
      },
      onOutput: (text, process) => {
        if (text.includes("late")) process.signal("SIGINT");
      },
    });
    expect(ended.code).toBe(130);
    const contents = ended.stdout.trimEnd().split("\n");
    expect(contents.map((line) => JSON.parse(line).content)).toEqual(["first", "second", ...many, "late"]);
  });

  it("chat export and block: exports all messages, blocks a contact", async () => {
    await fixture.run(["chat", "send", "Pim", "=1+1"]);
    expect((await fixture.run("chat export --csv")).stdout).toBe(
      "sent,contact,from,message,read\r\n2026-03-01T12:00:00.000Z,Pim,owner,'=1+1,\r\n",
    );
    expect((await fixture.run("chat block Pim")).code).toBe(0);
    expect((await fixture.run("chat read Pim")).stderr).toContain("You have blocked Pim.");
    expect((await fixture.run("chat unblock Pim")).code).toBe(0);
  });

  it.each([
    ["chat send Nobody hello", 3, 'Contact "Nobody" not found.'],
    ["chat send Pim", 2, "The message is empty."],
    ["chat read", 2, "Missing argument <contact>."],
  ])("refuses `%s`", async (line, code, message) => {
    const ended = await fixture.run(line);
    expect(ended.stderr).toContain(message);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
  });
});
