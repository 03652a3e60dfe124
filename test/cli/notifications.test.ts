import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder, untilStopped } from "../helpers/cli.ts";
import { play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
const submit = async () => play(fixture.server, await registerPlaytester(fixture.server, "Pim"), await fixture.order());

describe("notifications", () => {
  it("notifications list and read-all: filters unread ones, and marks all as read", async () => {
    await submit();
    const all = await fixture.run("notifications list --json");
    const { notifications, unreadCount } = JSON.parse(all.stdout);
    expect(notifications.map(({ type }: { type: string }) => type)).toContain("slot.submitted");
    expect(notifications).toHaveLength(unreadCount);
    expect((await fixture.run("notifications list --unread")).stdout.trimEnd().split("\n")).toHaveLength(unreadCount);
    expect((await fixture.run("notifications read-all --json=updatedCount")).stdout).toBe(`{"updatedCount":${unreadCount}}\n`);
    expect(await fixture.run("notifications list --unread")).toMatchObject({ code: 0, stdout: "" });
  });

  it("notifications watch --exec: runs the command once for each new notification, with its data on standard input", async () => {
    await submit();
    const folder = testFolder();
    const script = `cat >> out.jsonl; echo "$PLAYTEST_EVENT" >> kinds; [ "$PLAYTEST_EVENT" != slot.reserved ]`;
    let looks = 0;
    const ended = await fixture.run(["notifications", "watch", "--count", "2", "--ndjson", "--exec", script], {
      cwd: folder,
      outside: { sleep: async () => void (++looks === 2 && (await submit())) },
    });
    expect(ended.code).toBe(0);
    const items = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(items.map(({ type, kind }) => [type, kind])).toEqual([
      ["item", "slot.reserved"],
      ["item", "slot.submitted"],
    ]);
    expect(readFileSync(join(folder, "kinds"), "utf8")).toBe("slot.reserved\nslot.submitted\n");
    expect(JSON.parse(readFileSync(join(folder, "out.jsonl"), "utf8").split("\n")[1]!)).toMatchObject({ type: "slot.submitted" });
    expect(ended.stderr).toContain(`warning: The --exec command exited with 1 for ${items[0].id}.`);
  });

  it("notifications watch: prints an event of the stream immediately, before the next poll", async () => {
    await submit();
    let more: Promise<string> | undefined;
    const ended = await fixture.run("notifications watch --unread --template {kind}", {
      outside: { sleep: untilStopped },
      onOutput: (text, process) => {
        more ??= submit();
        if (text.split("slot.submitted").length === 3) process.signal("SIGINT");
      },
    });
    expect(ended.code).toBe(130);
    await more;
  });

  it("notifications watch --unread: starts with unread notifications, and ends at Ctrl-C", async () => {
    await submit();
    const ended = await fixture.run("notifications watch --unread", {
      onOutput: (text, process) => {
        if (text.includes("slot.submitted")) process.signal("SIGINT");
      },
    });
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain("  slot.submitted  ");
  });

  it("notifications watch --unread: starts with all unread ones, however many came after them", async () => {
    const { store } = fixture.server.deps;
    await fixture.emit("slot.submitted");
    await store.write((tx) => tx.run("UPDATE notifications SET title = 'The oldest' WHERE read_at IS NULL"));
    for (let count = 0; count < 105; count++) await fixture.emit("slot.accepted");
    await store.write((tx) => tx.run("UPDATE notifications SET read_at = created_at WHERE title <> 'The oldest'"));
    const ended = await fixture.run("notifications watch --unread --template {title}", {
      outside: { sleep: untilStopped },
      onOutput: (_, process) => process.signal("SIGINT"),
    });
    expect(ended.stdout).toBe("The oldest\n");
  });
});
