import { describe, expect, it } from "vitest";
import { dataLocationOf } from "../../server/config/data-location.ts";
import { locate, reportLocation } from "../../server/database/drivers.ts";

const urls = { databaseUrl: "postgres://flag", PLAYTEST_DATABASE_URL: "postgres://own", DATABASE_URL: "postgres://common" };

describe("data location", () => {
  it.each<
    [string, { data?: string; databaseUrl?: string; env: Record<string, string> }, [string, string, string | undefined, string]]
  >([
    ["nothing", { env: {} }, ["/home/listed/.local/share/playtest", "default", undefined, "default"]],
    ["HOME", { env: { HOME: "/home/ada" } }, ["/home/ada/.local/share/playtest", "default", undefined, "default"]],
    ["an empty HOME", { env: { HOME: "" } }, ["/home/listed/.local/share/playtest", "default", undefined, "default"]],
    [
      "a relative XDG_DATA_HOME",
      { env: { XDG_DATA_HOME: "data", HOME: "/home/ada" } },
      ["/home/ada/.local/share/playtest", "default", undefined, "default"],
    ],
    ["XDG_DATA_HOME", { env: { XDG_DATA_HOME: "/xdg" } }, ["/xdg/playtest", "XDG_DATA_HOME", undefined, "default"]],
    ["--data", { data: "/srv/p", env: { XDG_DATA_HOME: "/xdg" } }, ["/srv/p", "--data", undefined, "default"]],
    ["all URLs", { data: "/p", databaseUrl: urls.databaseUrl, env: urls }, ["/p", "--data", "postgres://flag", "--database-url"]],
    ["both variables", { data: "/p", env: urls }, ["/p", "--data", "postgres://own", "PLAYTEST_DATABASE_URL"]],
    [
      "DATABASE_URL",
      { data: "/p", env: { DATABASE_URL: "postgres://common" } },
      ["/p", "--data", "postgres://common", "DATABASE_URL"],
    ],
    ["an empty flag", { data: "/p", databaseUrl: "", env: urls }, ["/p", "--data", undefined, "--database-url"]],
    [
      "an empty variable",
      { data: "/p", env: { ...urls, PLAYTEST_DATABASE_URL: "" } },
      ["/p", "--data", undefined, "PLAYTEST_DATABASE_URL"],
    ],
  ])("of %s", (_, options, [dataDir, dataDirFrom, databaseUrl, databaseFrom]) => {
    expect(dataLocationOf({ ...options, systemHome: () => "/home/listed" })).toEqual({
      dataDir,
      dataDirFrom,
      databaseUrl,
      databaseFrom,
    });
  });

  it("is refused for a user who has no home, unless --data names it", () => {
    const unlisted = { env: { HOME: "" }, systemHome: () => expect.fail("ENOENT") };
    expect(() => dataLocationOf(unlisted)).toThrow(
      /^No home folder was found: .* Pass the data directory with --data, or set HOME\.$/,
    );
    expect(dataLocationOf({ ...unlisted, data: "/srv/p" }).dataDir).toBe("/srv/p");
  });

  it("refuses a URL of another kind of database and shows nothing of it", () => {
    const refused = () => locate({ env: { DATABASE_URL: "mysql://root:hidden@db" } });
    expect(refused).toThrow("The database URL from DATABASE_URL does not start with postgres://.");
    expect(refused).not.toThrow("hidden");
  });

  it.each([
    ["postgres://ada:hidden@db.example.com:5433/play", "postgres://ada:***@db.example.com:5433/play"],
    ["postgres://ada@db/play?sslmode=require", "postgres://ada@db/play?sslmode=require"],
    ["postgresql:///play?host=/run/pg&password=hidden", "postgresql:///play?host=%2Frun%2Fpg&password=***"],
    ["postgres://ada:hidden@:bad", "postgres://***"],
  ])("is shown without the password: %s", (url, shown) => {
    expect(reportLocation(locate({ databaseUrl: url, env: {} })).database).toBe(`PostgreSQL ${shown}`);
  });
});
