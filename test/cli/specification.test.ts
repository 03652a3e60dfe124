import { afterEach, describe, expect, it } from "vitest";
import { tree } from "../../src/cli/tree.ts";
import { runSpecification, specificationCommands, startWorld, stopWorlds } from "../helpers/specification-server/commands.ts";

afterEach(stopWorlds);

const garbage = /undefined|NaN|\[object Object\]|This is a bug/;

describe("every command on a server made from the specification alone", () => {
  it.each(Object.keys(specificationCommands))("%s", async (path) => {
    const world = await startWorld();
    const { code, stdout, stderr, expected } = await runSpecification(world, path);
    expect([code, stderr]).toEqual([expected, expect.not.stringMatching(garbage)]);
    expect(stdout).not.toMatch(garbage);
    expect(world.server.state.beyond).toEqual([]);
    expect(world.server.files.keysSeen).toEqual([]);
  });

  it("covers every command that talks to a server", () => {
    const remote = tree.commands.filter(({ endpoint }) => endpoint.length > 0).map(({ path }) => path.join(" "));
    // Shortcuts run other commands, a review needs a terminal, and the doctor of webhooks an endpoint that the internet reaches.
    const others = /^(login|whoami|push|order|bulk|wait|accept|reject|listen|playtests template|review next|webhooks doctor)$/;
    expect(remote.filter((path) => !specificationCommands[path] && !others.test(path))).toEqual([]);
  });
});
