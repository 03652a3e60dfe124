import { describe, expect, it } from "vitest";
import { foldersOf } from "../../src/config/paths.ts";

type Env = Record<string, string>;
const home = "/home/ada";
const listed = () => "/home/listed";
const unlisted = () => {
  throw new Error("uv_os_get_passwd returned ENOENT");
};

describe("folders of a user", () => {
  it.each<[string, Env, () => string, config: string | undefined, cache: string | undefined]>([
    ["HOME", { HOME: home }, unlisted, `${home}/.config/playtest`, `${home}/.cache/playtest`],
    ["no HOME", {}, listed, "/home/listed/.config/playtest", "/home/listed/.cache/playtest"],
    ["an empty HOME", { HOME: "" }, listed, "/home/listed/.config/playtest", "/home/listed/.cache/playtest"],
    ["a relative HOME", { HOME: "." }, listed, "/home/listed/.config/playtest", "/home/listed/.cache/playtest"],
    ["no HOME, and a user who is in no list", {}, unlisted, undefined, undefined],
    ["no HOME, and a user whose listed home is empty", {}, () => "", undefined, undefined],
    [
      "XDG variables",
      { HOME: home, XDG_CONFIG_HOME: "/xdg/config", XDG_CACHE_HOME: "/xdg/cache" },
      unlisted,
      "/xdg/config/playtest",
      "/xdg/cache/playtest",
    ],
    ["XDG variables alone", { XDG_CONFIG_HOME: "/xdg/config" }, unlisted, "/xdg/config/playtest", undefined],
    [
      "relative XDG variables",
      { HOME: home, XDG_CONFIG_HOME: "config", XDG_CACHE_HOME: "./cache" },
      unlisted,
      `${home}/.config/playtest`,
      `${home}/.cache/playtest`,
    ],
    ["PLAYTEST_CONFIG_DIR", { HOME: home, PLAYTEST_CONFIG_DIR: "/own" }, unlisted, "/own", "/own/cache"],
  ])("with %s", (_, env, systemHome, config, cache) => {
    expect(foldersOf({ env, platform: "linux", systemHome })).toEqual({ config, cache });
  });

  /** Separators are those of the system that the test runs on. */
  it.each<[string, Env, () => string, config: string | undefined, cache: string | undefined]>([
    [
      "APPDATA and LOCALAPPDATA",
      { APPDATA: "C:\\R", LOCALAPPDATA: "\\\\server\\L" },
      unlisted,
      "C:\\R/playtest",
      "\\\\server\\L/playtest/cache",
    ],
    [
      "USERPROFILE, empty and relative variables",
      { USERPROFILE: "C:/Users/ada", APPDATA: "", LOCALAPPDATA: "Local" },
      unlisted,
      "C:/Users/ada/AppData/Roaming/playtest",
      "C:/Users/ada/AppData/Local/playtest/cache",
    ],
    ["a drive without a folder", { USERPROFILE: "C:", APPDATA: "C:x" }, unlisted, undefined, undefined],
  ])("on Windows with %s", (_, env, systemHome, config, cache) => {
    expect(foldersOf({ env, platform: "win32", systemHome })).toEqual({ config, cache });
  });
});
