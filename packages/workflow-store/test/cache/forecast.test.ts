import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Forecast, forecastFile, keepForecast, parseForecast, type Storage } from "../../src/index.js";
import { tempStorage } from "../support/index.js";

const FORECAST: Forecast = {
  asked: "mock",
  command: "/usr/bin/uwf-mock",
  launcher: { size: 2500, modified: 1_700_000_000_000 },
  args: ["--fast", "ä b"],
  passed: ["A"],
  resume: false,
  keyNames: ["K"],
};

function read(storage: Storage): Forecast | null {
  return parseForecast(readFileSync(forecastFile(storage), "utf8"));
}

describe("the forecast of an agent", () => {
  it("is read as it was kept, by its owner only", () => {
    const storage = tempStorage();
    const file = forecastFile(storage);
    for (const forecast of [FORECAST, { ...FORECAST, asked: null, passed: null, args: [] }]) {
      keepForecast(storage, forecast);
      expect(read(storage)).toEqual(forecast);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(dirname(file))).toEqual(["agent.json"]);
  });

  it("is gone when it is taken back, also when there is none", () => {
    const storage = tempStorage();
    keepForecast(storage, null);
    keepForecast(storage, FORECAST);
    keepForecast(storage, null);
    expect(existsSync(forecastFile(storage))).toBe(false);
  });

  it("is written when it is another one, and only then", () => {
    const storage = tempStorage();
    keepForecast(storage, FORECAST);
    const { ino } = statSync(forecastFile(storage));
    keepForecast(storage, { ...FORECAST });
    expect(statSync(forecastFile(storage)).ino).toBe(ino);
    const others: readonly Partial<Forecast>[] = [
      { asked: null },
      { command: "/other" },
      { launcher: { size: 2501, modified: 1_700_000_000_000 } },
      { launcher: { size: 2500, modified: 1_700_000_000_001 } },
      { args: ["--fast", "ä", "b"] },
      { passed: null },
      { resume: true },
      { keyNames: [] },
    ];
    for (const other of others) {
      keepForecast(storage, FORECAST);
      keepForecast(storage, { ...FORECAST, ...other });
      expect(read(storage)).toEqual({ ...FORECAST, ...other });
    }
  });
});

describe("what is no forecast", () => {
  const good: readonly unknown[] = ["uwf-agent", 1, "mock", "/usr/bin/uwf-mock", 1, 2, [], null, true, []];
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
    ["no size", changed(4, null)],
    ["no time", changed(5, "1")],
    ["no list of arguments", changed(6, "a")],
    ["an argument that is no text", changed(6, [1])],
    ["no names", changed(7, [null])],
    ["no boolean", changed(8, "true")],
    ["no names of keys", changed(9, null)],
  ])("%s is taken for none, and replaced by the next", (_name, text) => {
    expect(parseForecast(text)).toBeNull();
    const storage = tempStorage();
    keepForecast(storage, FORECAST);
    writeFileSync(forecastFile(storage), text);
    keepForecast(storage, FORECAST);
    expect(read(storage)).toEqual(FORECAST);
  });

  it("a folder in its place stays, and nothing behind a link is changed", () => {
    const storage = tempStorage();
    mkdirSync(forecastFile(storage), { recursive: true });
    keepForecast(storage, FORECAST);
    expect(statSync(forecastFile(storage)).isDirectory()).toBe(true);

    const other = tempStorage();
    const target = join(other.root, "target");
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, "agent.json"), "as it was");
    symlinkSync(target, other.paths.cache);
    keepForecast(other, FORECAST);
    keepForecast(other, null);
    expect(readFileSync(join(target, "agent.json"), "utf8")).toBe("as it was");
  });
});
