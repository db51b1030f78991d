import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Forecast, isSameForecast, keepForecast, readForecast } from "../../src/index.js";
import { tempStorage } from "../support/index.js";

const FORECAST: Forecast = {
  asked: "mock",
  command: "/usr/bin/uwf-mock",
  args: ["--fast", "ä b"],
  passed: ["A"],
  resume: false,
  keyNames: ["K"],
};

describe("the forecast of an agent", () => {
  it("is read as it was kept, by its owner only", () => {
    const storage = tempStorage();
    const file = join(storage.paths.cache, "agent.json");
    for (const forecast of [FORECAST, { ...FORECAST, asked: null, passed: null, args: [] }]) {
      keepForecast(storage, forecast);
      expect(readForecast(storage)).toEqual(forecast);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(dirname(file))).toEqual(["agent.json"]);
  });

  it("is none where nothing was kept, and none any more when it is taken back", () => {
    const storage = tempStorage();
    expect(readForecast(storage)).toBeNull();
    keepForecast(storage, FORECAST);
    keepForecast(storage, null);
    expect(readForecast(storage)).toBeNull();
    keepForecast(storage, null);
  });

  it("differs in each of its members", () => {
    const others: readonly Partial<Forecast>[] = [
      { asked: null },
      { command: "/other" },
      { args: ["--fast", "ä", "b"] },
      { passed: null },
      { resume: true },
      { keyNames: [] },
    ];
    for (const other of others) expect(isSameForecast(FORECAST, { ...FORECAST, ...other })).toBe(false);
    expect(isSameForecast(FORECAST, { ...FORECAST })).toBe(true);
    expect([isSameForecast(null, null), isSameForecast(FORECAST, null)]).toEqual([true, false]);
  });
});

describe("what is no forecast", () => {
  const good: readonly unknown[] = ["uwf-agent", 1, "mock", "/usr/bin/uwf-mock", [], null, true, []];
  const changed = (index: number, value: unknown) => JSON.stringify(good.with(index, value));

  it.each([
    ["nothing", ""],
    ["half of it", JSON.stringify(good).slice(0, -3)],
    ["an object", "{}"],
    ["null", "null"],
    ["another document", changed(0, "uwf-history")],
    ["another version", changed(1, 2)],
    ["no text that was asked for", changed(2, 7)],
    ["no command", changed(3, null)],
    ["no list of arguments", changed(4, "a")],
    ["an argument that is no text", changed(4, [1])],
    ["no names", changed(5, [null])],
    ["no boolean", changed(6, "true")],
    ["no names of keys", changed(7, null)],
    ["more than can be passed to a program", `${JSON.stringify(good)}${" ".repeat(1024 * 1024)}`],
  ])("%s is taken for none, and replaced by the next", (_name, text) => {
    const storage = tempStorage();
    keepForecast(storage, FORECAST);
    writeFileSync(join(storage.paths.cache, "agent.json"), text);
    expect(readForecast(storage)).toBeNull();
    keepForecast(storage, FORECAST);
    expect(readForecast(storage)).toEqual(FORECAST);
  });

  it("a folder or a link is none either; nothing behind a link is changed", () => {
    const storage = tempStorage();
    const file = join(storage.paths.cache, "agent.json");
    mkdirSync(file, { recursive: true });
    expect(readForecast(storage)).toBeNull();
    keepForecast(storage, FORECAST);
    expect(readForecast(storage)).toBeNull();

    const other = tempStorage();
    const target = join(other.root, "target");
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, "agent.json"), JSON.stringify(good));
    symlinkSync(target, other.paths.cache);
    keepForecast(other, FORECAST);
    expect(readFileSync(join(target, "agent.json"), "utf8")).toBe(JSON.stringify(good));

    const third = tempStorage();
    mkdirSync(third.paths.cache, { recursive: true });
    symlinkSync(join(target, "agent.json"), join(third.paths.cache, "agent.json"));
    expect(readForecast(third)).toBeNull();
  });
});
