import { expect, it } from "vitest";
import { howToCheck } from "../../src/api/outcome.ts";
import { uploadCommand } from "../../src/commands/games/storage.ts";

/** Texts from outside that are put into others: `$&` and the like in them mean nothing. */

it("an id stands in a hint as it is", () => {
  expect(howToCheck("PATCH", "/games/a%24%26b")).toContain("`playtest games show a$&b`");
});

it("the name of a build stands in the command of --upload-cmd as one word of a POSIX shell", () => {
  expect(uploadCommand("cp {file} {file}.old", "/tmp/$& it's", "linux")).toBe("cp '/tmp/$& it'\\''s' '/tmp/$& it'\\''s'.old");
});

it("cmd.exe on Windows takes the name from a variable, where % and ^ are left alone", () => {
  expect(uploadCommand("copy {file} X:\\", "C:\\100%^&.zip", "win32")).toBe('copy "%PLAYTEST_BUILD_FILE%" X:\\');
});
