import { describe, expect, it } from "vitest";
import { main } from "../../src/main.ts";
import { FakeProcess, playtest, type RunOptions, testFolder, untilStopped } from "../helpers/cli.ts";
import { type Stub, stubServer } from "../helpers/stub-server.ts";

const key = "pt_sk_0123456789abcdef0123456789abcdef";
const create = ["games", "create", "--name", "X", "--build-url", "https://example.com/a.zip"];
const created: Stub = { on: "POST /games", status: 201, data: { game: { id: "1", name: "X" } } };
const failed = (on: string, status: number, code: string, more: Partial<Stub> = {}): Stub => ({
  on,
  status,
  error: { code, message: `It is ${code}.` },
  ...more,
});

async function run(stubs: readonly Stub[], argv: readonly string[], options: RunOptions = {}) {
  const stub = await stubServer(stubs);
  return { ...(await playtest(argv, { baseUrl: stub.baseUrl, key, ...options })), seen: stub.seen };
}

describe("exit codes", () => {
  it.each([
    [400, "BAD_REQUEST", 2],
    [401, "UNAUTHORIZED", 4],
    [402, "PAYMENT_REQUIRED", 7],
    [403, "FORBIDDEN", 5],
    [403, "EMAIL_NOT_VERIFIED", 4],
    [404, "NOT_FOUND", 3],
    [405, "METHOD_NOT_ALLOWED", 2],
    [409, "CONFLICT", 6],
    [413, "PAYLOAD_TOO_LARGE", 2],
    [415, "UNSUPPORTED_MEDIA_TYPE", 2],
    [422, "VALIDATION_ERROR", 2],
    [422, "IDEMPOTENCY_MISMATCH", 6],
    [429, "RATE_LIMITED", 9],
    [500, "INTERNAL_ERROR", 1],
    [501, "NOT_IMPLEMENTED", 3],
    [503, "SERVICE_UNAVAILABLE", 10],
    [418, "SOMETHING_NEW", 1],
  ])("HTTP %i %s: exit code %i", async (status, code, exitCode) => {
    const {
      code: ended,
      stdout,
      stderr,
    } = await run([failed("GET /games", status, code)], ["games", "list", "--json", "--retries", "0"]);
    expect([ended, stdout]).toEqual([exitCode, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      code,
      message: `It is ${code}.`,
      httpStatus: status,
      requestId: "req_00000000000000000001",
      exitCode,
      details: [],
      retryCommand: null,
    });
  });

  it("prints the message, the hint and the request id", async () => {
    const { stderr } = await run([failed("GET /games", 401, "UNAUTHORIZED")], ["games", "list"]);
    expect(`\n${stderr}`).toMatchInlineSnapshot(`
      "
      error: It is UNAUTHORIZED.
      Run \`playtest login\`, or set PLAYTEST_API_KEY.
      Request ID: req_00000000000000000001
      "
    `);
  });

  it("names invalid fields by their flags", async () => {
    const error = {
      code: "VALIDATION_ERROR",
      message: "Invalid.",
      details: [{ field: "buildUrl", message: "is not reachable" }],
    };
    const { code, stderr } = await run([{ on: "POST /games", status: 422, error }], create);
    expect([code, stderr]).toEqual([2, expect.stringContaining("  --build-url: is not reachable\n")]);
  });

  it("names the flag and the position of an invalid value in a list", async () => {
    const error = { code: "VALIDATION_ERROR", message: "Invalid.", details: [{ field: "devices.1", message: "is unknown" }] };
    const { stderr } = await run([{ on: "POST /games", status: 422, error }], create);
    expect(stderr).toContain("  --devices (value 2): is unknown\n");
  });

  it("names a header that no flag sets as it is", async () => {
    const details = [{ field: "PAYMENT-SIGNATURE", message: "has expired" }];
    const error = { code: "VALIDATION_ERROR", message: "PAYMENT-SIGNATURE: has expired", details };
    const { stderr } = await run([{ on: "POST /games", status: 400, error }], create);
    expect(stderr).toContain("error: PAYMENT-SIGNATURE: has expired\n");
  });

  it.each([
    [
      "a redirect",
      { status: 302, headers: { location: "https://elsewhere.example" }, body: "" },
      "redirects to https://elsewhere.example",
    ],
    ["a login page", { status: 200, headers: { "content-type": "text/html" }, body: "<html>" }, "instead of JSON from the API"],
    [
      "JSON of another program",
      { status: 200, headers: { "content-type": "application/json" }, body: "{}" },
      "returned 200 with incomplete or other JSON instead of JSON from the API.",
    ],
    [
      "nothing at all",
      { status: 200, headers: { "content-type": "application/json" }, body: "" },
      "returned 200 with nothing instead",
    ],
    ["a gateway's error page", { status: 502, headers: { "content-type": "text/html" }, body: "<html>" }, "returned 502"],
  ])("%s is not a response of the API: 10", async (_, reply, message) => {
    const { code, stderr, seen } = await run([{ on: "GET /games", ...reply }], ["games", "list", "--retries", "0"]);
    expect([code, stderr, seen.length]).toEqual([10, expect.stringContaining(message), 1]);
  });

  it("a refused connection is 10, and the hint says how to start a server", async () => {
    const { code, stderr } = await playtest(["games", "list", "--retries", "0"], { baseUrl: "http://127.0.0.1:9", key });
    expect([code, stderr]).toEqual([10, expect.stringContaining("playtest serve")]);
  });

  it("a request without a key is sent; the server decides", async () => {
    const { seen } = await run([{ on: "GET /info/server", data: {} }], ["api", "info/server"], { key: undefined });
    expect(seen[0]!.headers.authorization).toBeUndefined();
  });
});

describe("retries", () => {
  it("a read is retried after the wait in Retry-After", async () => {
    const stubs = [
      failed("GET /games", 503, "SERVICE_UNAVAILABLE"),
      failed("GET /games", 429, "RATE_LIMITED", { headers: { "retry-after": "5" } }),
      { on: "GET /games", instead: "drop" as const },
      { on: "GET /games", data: { games: [] }, meta: { cursor: null, hasMore: false } },
    ];
    const { code, waited, seen } = await run(stubs, ["games", "list"]);
    expect([code, waited, seen.length]).toEqual([0, 1_500 + 5_000 + 750, 4]);
  });

  it("a change is retried with the same idempotency key", async () => {
    const { code, seen } = await run(
      [{ on: "POST /games", instead: "drop" }, failed("POST /games", 500, "INTERNAL_ERROR"), created],
      create,
    );
    const keys = seen.map(({ headers }) => headers["idempotency-key"]);
    expect([code, new Set(keys).size, keys.length]).toEqual([0, 1, 3]);
  });

  it("end at --max-wait, with the requested wait in the error", async () => {
    const busy = failed("GET /games", 429, "RATE_LIMITED", { headers: { "retry-after": "90" } });
    const { code, stderr, waited } = await run([busy], ["games", "list"]);
    expect([code, stderr, waited]).toEqual([9, expect.stringContaining("wait 90 s"), 0]);
  });

  it("do not happen for a client error", async () => {
    const { code, seen } = await run([failed("POST /games", 422, "VALIDATION_ERROR")], create);
    expect([code, seen.length]).toEqual([2, 1]);
  });
});

describe("an unknown outcome", () => {
  const lost = (times: number): Stub[] => Array.from({ length: times }, () => ({ on: "POST /games", instead: "drop" as const }));

  it("is 12, with the exact command that repeats the change safely", async () => {
    const { code, stderr, seen } = await run(lost(2), [...create, "--retries", "1", "--json"]);
    const sent = seen[0]!.headers["idempotency-key"] as string;
    expect([code, JSON.parse(stderr)]).toEqual([
      12,
      expect.objectContaining({
        code: "OUTCOME_UNKNOWN",
        retryable: true,
        retryCommand: `playtest games create --name X --build-url https://example.com/a.zip --retries 1 --json --idempotency-key ${sent}`,
      }),
    ]);
  });

  it("repeats every change of a command with the key of the first one", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const stubs: Stub[] = [
      { on: "GET /chat/contacts", data: { contacts: [{ id, displayName: "Ann", conversationId: null }] } },
      { on: "POST /chat/conversations", status: 201, data: { conversation: { id } } },
      { on: `POST /chat/conversations/${id}/messages`, instead: "drop" },
      { on: "GET /info/server", data: { extensions: [], features: { idempotency: true } } },
    ];
    const { code, stderr, seen } = await run(stubs, ["chat", "send", "Ann", "Hello", "--retries", "0"]);
    const [first, second] = seen.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]);
    expect([code, second]).toEqual([12, `${first}-2`]);
    expect(stderr).toContain(`--idempotency-key ${first}\n`);
  });

  it("gives each of several items a key of its own, whatever stands before it", async () => {
    const [one, two, three] = [1, 2, 3].map((digit) => `019a0000-0000-7000-8000-00000000000${digit}`);
    const keysOf = async (ids: readonly (string | undefined)[]) => {
      const stubs = ids.map(
        (id): Stub => ({
          on: `DELETE /playtests/slots/${id}`,
          data: { message: "Cancelled.", refundedCents: 0, refundedMinutes: 0 },
        }),
      );
      const { code, seen } = await run(stubs, [
        "playtests",
        "cancel-slot",
        ...ids.map(String),
        "--yes",
        "--idempotency-key",
        "mine",
      ]);
      expect(code).toBe(0);
      const sent = seen.filter(({ method }) => method === "DELETE");
      return new Map(sent.map(({ path, headers }) => [path.slice(-1), headers["idempotency-key"]]));
    };
    const [before, after] = [await keysOf([one, two, three]), await keysOf([three, two])];
    expect(new Set(before.values()).size).toBe(3);
    expect([after.get("2"), after.get("3")]).toEqual([before.get("2"), before.get("3")]);
    expect((await keysOf([one])).get("1")).toBe(before.get("1"));
  });

  it("repeats with the key given by --idempotency-key", async () => {
    const { seen, stderr } = await run(lost(1), [...create, "--retries", "0", "--idempotency-key", "mine"]);
    expect(seen[0]!.headers["idempotency-key"]).toBe("mine");
    expect(stderr.match(/--idempotency-key mine/g)).toHaveLength(1);
  });

  it.each([
    ["a definite 500 after a lost reply", [...lost(1), failed("POST /games", 500, "INTERNAL_ERROR")], 1],
    [
      "a definite 503",
      [failed("POST /games", 503, "SERVICE_UNAVAILABLE"), failed("POST /games", 503, "SERVICE_UNAVAILABLE")],
      10,
    ],
  ])("does not include %s", async (_, stubs, exitCode) => {
    expect((await run(stubs, [...create, "--retries", "1"])).code).toBe(exitCode);
  });

  it.each([
    ["sandbox advance 1h", "POST /sandbox/clock/advance"],
    ["sandbox testers create --count 1", "POST /sandbox/testers"],
  ])("is not repeated, and not called safe to repeat, where the server knows no account: %s", async (line, on) => {
    const { code, stderr, seen } = await run([{ on, instead: "drop" }], line.split(" "));
    expect([code, seen.map((one) => one.method)]).toEqual([12, ["POST"]]);
    expect(stderr).not.toContain("--idempotency-key");
    expect(stderr).toContain("Repeating it could make the change twice.");
  });

  it("does not include a read", async () => {
    expect((await run([{ on: "GET /games", instead: "drop" }], ["games", "list", "--retries", "0"])).code).toBe(10);
  });

  it("includes a timeout after sending", async () => {
    const { code, stderr } = await run(
      [{ on: "POST /games", instead: "hang" }],
      [...create, "--retries", "0", "--timeout", "0.2"],
    );
    expect([code, stderr]).toEqual([12, expect.stringContaining("No response from")]);
  });
});

describe("--dry-run", () => {
  it("sends no change, and shows the request without the API key", async () => {
    const { code, stdout, seen } = await run([], [...create, "--dry-run", "--json"]);
    expect([code, seen]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toEqual({
      dryRun: true,
      requests: [
        {
          method: "POST",
          path: "/api/v1/games",
          headers: expect.objectContaining({ authorization: "…", "idempotency-key": expect.any(String) }),
          body: { name: "X", buildUrl: "https://example.com/a.zip" },
        },
      ],
    });
  });

  it("sends reads", async () => {
    const list: Stub = { on: "GET /games", data: { games: [] }, meta: { cursor: null, hasMore: false } };
    expect((await run([list], ["games", "list", "--dry-run"])).code).toBe(0);
  });
});

describe("a change with an invalid output format", () => {
  it("an invalid jq expression is refused before anything is sent", async () => {
    const { code, seen } = await run([], [...create, "--jq", ".game |"]);
    expect([code, seen]).toEqual([2, []]);
  });

  it("a jq expression that fails on the data says that the change was made", async () => {
    const { code, stderr } = await run([created], [...create, "-q", "--jq", ".game.name[0]"]);
    expect([code, JSON.parse(stderr).message]).toEqual([
      1,
      expect.stringContaining("The command succeeded; only its output failed."),
    ]);
  });

  it("an unknown field is a warning, and the created object is printed", async () => {
    const { code, stdout, stderr } = await run([created], [...create, "-q", "--json=id,checkoutUrl"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { game: { id: "1", checkoutUrl: null } }]);
    expect(stderr).toBe('warning: --json: unknown field "checkoutUrl". Known fields: id, name.\n');
  });
});

describe("error messages", () => {
  const refusal = (details: { field: string; message: string }[]): Stub => ({
    on: "GET /games",
    status: 400,
    error: { code: "VALIDATION_ERROR", message: `${details[0]!.field}: ${details[0]!.message}`, details },
  });
  it.each([
    [[{ field: "limit", message: "is too much" }], "error: --limit: is too much\n"],
    [
      [
        { field: "limit", message: "is too much" },
        { field: "cursor", message: "is old" },
      ],
      "error: The request is invalid. Nothing was changed.\n  --limit: is too much\n  --cursor: is old\n",
    ],
  ])("%j", async (details, said) => {
    const { code, stderr } = await run([refusal(details)], ["games", "list"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it.each([
    [["api", "FOO", "games"], 'Unknown method "FOO".\nUse one of GET, POST,'],
    [["api", "POST", "games", "--input", "-"], "--input: not valid JSON."],
    [["games", "create", "-f", "/none.yaml"], "cannot read /none.yaml: the file does not exist."],
    [["review", "reject", "--reason", "x"], "Missing id.\nPass one or more ids."],
  ])("%j", async (words, said) => {
    const { code, stderr } = await playtest(words, { baseUrl: "http://127.0.0.1:1", key, stdin: "nope" });
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it.each([
    ["games show 019a0000-0000-7000-8000-000000000000", "/games/019a0000-0000-7000-8000-000000000000", "playtest games list"],
    ["playtests show 1", "/playtests/1", "playtest playtests list --all-games"],
    ["review show 1", "/playtests/slots/1", "playtest review list"],
    ["billing payments show 1", "/billing/payments/1", "playtest billing payments list"],
    ["applications list 2", "/playtests/2/applications", "playtest playtests list --all-games"],
  ])("a 404 names the command that lists valid ids: %s", async (line, path, listing) => {
    const missing: Stub = { on: `GET ${path}`, status: 404, error: { code: "NOT_FOUND", message: "Not found" } };
    const { code, stderr } = await run([missing], line.split(" "));
    expect([code, stderr]).toEqual([3, expect.stringContaining(`To list valid ids: \`${listing}\`.`)]);
  });

  it("a 404 for a part of an existing resource has no such hint", async () => {
    const error = { code: "NOT_FOUND", message: "This slot has no video." };
    const { stderr } = await run([{ on: "GET /playtests/slots/1/download-url", status: 404, error }], ["review", "url", "1"]);
    expect(stderr).toBe("error: This slot has no video.\nRequest ID: req_00000000000000000001\n");
  });

  it.each([
    ["http://127.0.0.1:1", "Start a server with `playtest serve`"],
    ["http://0.0.0.0:1", "To see where this address is set: `playtest config explain`"],
  ])("the hint for a refused connection to %s", async (baseUrl, hint) => {
    const { code, stderr } = await playtest(["games", "list", "--retries", "0", "--insecure"], { baseUrl, key });
    expect([code, stderr]).toEqual([10, expect.stringContaining(hint)]);
  });

  it("the placeholder of a key in a message is not redacted", async () => {
    const message = "Send `Authorization: Bearer <API_KEY>`.";
    const { stderr } = await run(
      [{ on: "GET /games", status: 401, error: { code: "UNAUTHORIZED", message } }],
      ["games", "list"],
    );
    expect(stderr).toContain(message);
  });
});

describe("secrets", () => {
  const secret: Stub = { on: "GET /auth/me", data: { apiKey: "planted-1", url: "https://x/?token=planted-2", note: key } };
  it("never appear in --debug", async () => {
    const { stderr } = await run([secret], ["api", "auth/me", "--debug"]);
    expect(stderr).toContain("> GET http://127.0.0.1");
    expect(stderr).not.toMatch(/planted|0123456789abcdef/);
  });

  it("-v prints one line per request and response", async () => {
    const { stderr } = await run([secret], ["api", "auth/me", "-v"]);
    expect(stderr.split("\n").map((line) => line.replace(/127.*/, "…"))).toEqual(["> GET http://…", "< 200 in 0 ms", ""]);
  });

  it("the stack trace of a bug does not contain them", async () => {
    const broken = {
      now: () => {
        throw new Error(`boom ${key}`);
      },
    };
    const { code, stderr } = await run([], ["games", "list"], { outside: broken });
    expect([code, stderr]).toEqual([70, expect.stringContaining("This is a bug in playtest")]);
    expect(stderr).not.toContain(key);
  });
});

describe("signals", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends with %i while a reply is awaited", async (signal, exitCode) => {
    const stub = await stubServer([
      { on: "GET /games", data: { games: [{ id: "1", name: "first" }] }, meta: { cursor: "c", hasMore: true } },
      { on: "GET /games", instead: "hang" },
    ]);
    const stopped = await playtest(["games", "list", "--all", "--template", "{name}"], {
      baseUrl: stub.baseUrl,
      key,
      onOutput: (_, process) => void stub.arrived(2).then(() => process.signal(signal)),
    });
    expect([stopped.code, stopped.stdout, stopped.stderr]).toEqual([exitCode, "first\n", ""]);
  });

  it.each([
    ["its reply is awaited", { on: "POST /games", instead: "hang" as const }, {}],
    ["it waits to try again", { on: "POST /games", instead: "drop" as const }, { sleep: untilStopped }],
  ])("an interrupt during a change, while %s, says how to repeat it safely", async (_, stub, outside) => {
    const { baseUrl, arrived, seen } = await stubServer([stub]);
    const fake = new FakeProcess({ env: { HOME: testFolder(), PLAYTEST_BASE_URL: baseUrl, PLAYTEST_API_KEY: key }, cwd: "/" });
    void arrived(1).then(() => setImmediate(() => fake.signal("SIGINT")));
    const code = await main([...create, "--json"], fake, outside);
    const sent = seen[0]!.headers["idempotency-key"];
    expect([code, fake.stdout.text, JSON.parse(fake.stderr.text)]).toEqual([
      130,
      "",
      expect.objectContaining({
        message: "Interrupted during POST /api/v1/games. The request may or may not have taken effect.",
        retryCommand: `playtest ${create.join(" ")} --json --idempotency-key ${sent}`,
      }),
    ]);
  });
});

describe("a reply that never ends", () => {
  const huge = Buffer.alloc(65 * 2 ** 20, " ");
  it.each([
    ["of a read: exit 10, once", "GET /games", ["games", "list"], 10],
    ["of a change: exit 12, because it may have taken effect", "POST /games", create, 12],
  ])("%s", async (_, on, argv, exitCode) => {
    const { code, stderr, seen } = await run([{ on, body: huge }], argv);
    expect([code, stderr, seen.length]).toEqual([exitCode, expect.stringContaining("a response of more than 64 MiB"), 1]);
  });
});

describe("a reply without what it must hold", () => {
  const id = "019a0000-0000-7000-8000-000000000000";
  const show = ["games", "show", id, "--json"];
  it.each<[string, Partial<Stub>, string[], string, number]>([
    ["a read without its object", { data: {} }, show, `GET /games/${id}`, 10],
    ["a read with a text for its object", { data: { game: "x" } }, show, `GET /games/${id}`, 10],
    ["a read of nothing", { data: null }, show, `GET /games/${id}`, 10],
    ["a list without its array", { data: { items: [] } }, ["games", "list"], "GET /games", 10],
    ["a change without its object", { status: 201, data: {} }, create, "POST /games", 12],
    ["a change without data", { status: 201, body: "{}" }, create, "POST /games", 12],
    ["a change answered by a page", { status: 200, body: "<html>" }, create, "POST /games", 12],
  ])("%s", async (_, stub, argv, on, exitCode) => {
    const { code, stdout, stderr } = await run([{ on, ...stub }], argv);
    expect([code, stdout]).toEqual([exitCode, ""]);
    expect(stderr).toMatch(/without the (list|object)|instead of JSON from the API/);
    if (exitCode === 12) expect(stderr).toContain("--idempotency-key");
  });

  it("but an object that stands alone is accepted", async () => {
    const { code, stdout } = await run(
      [{ on: `GET /games/${id}`, data: { id, name: "X" } }],
      ["games", "show", id, "--jq", ".game.name"],
    );
    expect([code, stdout]).toEqual([0, "X\n"]);
  });
});
