import { afterAll, beforeAll, expect, it } from "vitest";
import { playtest, type Ran, testFolder } from "./cli.ts";
import { createGame, firstAdmin, giveCredit, ledgerFaults, type Person, registerOwner, registerPlaytester } from "./factories.ts";
import { startTestServer, type TestServer } from "./server.ts";
import { drivers } from "./store.ts";
import { newId } from "./walk.ts";

/** An owner with $500.00 and a game, a playtester and an administrator. Only the server and the administrator are not new in each test. */
export interface Scene {
  server: TestServer;
  owner: Person;
  gameId: string;
  ann: Person;
  admin: Person;
  /** Where the commands run. */
  cwd: string;
  /** Runs a command line, the owner's unless another person is named: to come where the sentence is said, or to do what it says. */
  run(line: string, by?: Person): Promise<Ran>;
  /** An order by another way than a command. */
  order(body?: Record<string, unknown>): Promise<string>;
}

/** A sentence of a command, how the command comes to say it, and that it is so. */
export interface Fact {
  says: string | RegExp;
  /** The command says it in the question before it acts. */
  asks?: true;
  /** Whose key is used; default the owner's. */
  by?: "ann" | "admin";
  /** Returns the command line. */
  line(scene: Scene): Promise<string> | string;
  stdin?: string;
  /** What is typed, on a terminal. */
  typed?: string;
  /** Default 0. */
  code?: number;
  holds(scene: Scene, ran: Ran): Promise<void>;
}

const inOneLine = ({ stdout, stderr }: Ran) => (stdout + stderr).replace(/\s+/g, " ");
const saying = (says: string | RegExp) =>
  typeof says === "string" ? expect.stringContaining(says) : expect.stringMatching(says);

async function newScene(server: TestServer, admin: Person): Promise<Scene> {
  const [owner, ann] = [await registerOwner(server), await registerPlaytester(server, "Ann")];
  await giveCredit(server, owner, 50_000);
  const gameId = await createGame(owner, { buildUrl: `${server.baseUrl}/build.zip` });
  const cwd = testFolder();
  const run = (line: string, by = owner) =>
    playtest(line.split(" "), { baseUrl: server.baseUrl, key: by.key, cwd, outside: { newId } });
  const order = async (body = {}) => (await owner.post(`/games/${gameId}/playtests`, body)).body.data.playtest.id;
  return { server, owner, gameId, ann, admin, cwd, run, order };
}

/** One test for each fact: the sentence is said, and then it is checked by another way than the command that said it. */
export function commandFacts(facts: readonly Fact[]): void {
  let server: TestServer;
  let admin: Person;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const store = await drivers[0]!.open();
    server = await startTestServer({ store });
    admin = await firstAdmin(server);
    stop = async () => {
      expect(await ledgerFaults(server)).toEqual([]);
      await server.close();
      await store.remove();
    };
  });
  afterAll(() => stop());

  it.each(facts)("$says", async ({ says, asks, by, line, stdin, typed, code = 0, holds }) => {
    const scene = await newScene(server, admin);
    const words = await line(scene);
    const run = (text: string) =>
      playtest(text.split(" "), {
        baseUrl: server.baseUrl,
        key: scene[by ?? "owner"].key,
        cwd: scene.cwd,
        tty: typed === undefined ? { stdout: true } : true,
        env: { NO_COLOR: "1" },
        outside: { newId },
        ...((stdin ?? typed) !== undefined && { stdin: stdin ?? typed }),
      });
    if (asks) {
      const asked = await run(words);
      expect([asked.code, inOneLine(asked)]).toEqual([2, saying(says)]);
    }
    const ran = await run(asks ? `${words} --yes` : words);
    expect([ran.code, inOneLine(ran)]).toEqual([code, asks ? expect.anything() : saying(says)]);
    await holds(scene, ran);
  });
}
