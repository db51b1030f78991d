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
import { type Forecast, keepForecast, parseForecast, type Storage } from "../../src/index.js";
import { tempStorage } from "../support/index.js";

const FORECAST: Forecast = {
  asked: "mock",
  command: "/usr/bin/uwf-mock",
  launcher: { size: 2500, modified: 1_700_000_000_000 },
  config: { size: 10, modified: 1_600_000_000_000 },
  args: ["--fast", "ä b"],
  passed: ["A"],
  resume: false,
  keyNames: ["K"],
};

function read(storage: Storage): Forecast | null {
  return parseForecast(readFileSync(storage.paths.forecast, "utf8"));
}

describe("the forecast of an agent", () => {
  it("is read as it was kept, by its owner only", () => {
    const storage = tempStorage();
    const file = storage.paths.forecast;
    for (const forecast of [FORECAST, { ...FORECAST, asked: null, passed: null, args: [] }]) {
      keepForecast(storage, forecast);
      expect(read(storage)).toEqual(forecast);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(dirname(file))).toEqual(["forecast.json"]);
  });

  it("is gone when it is taken back, also when there is none", () => {
    const storage = tempStorage();
    keepForecast(storage, null);
    keepForecast(storage, FORECAST);
    keepForecast(storage, null);
    expect(existsSync(storage.paths.forecast)).toBe(false);
  });

  it("is written when it is another one, and only then", () => {
    const storage = tempStorage();
    keepForecast(storage, FORECAST);
    const { ino } = statSync(storage.paths.forecast);
    keepForecast(storage, { ...FORECAST });
    expect(statSync(storage.paths.forecast).ino).toBe(ino);
    const others: readonly Partial<Forecast>[] = [
      { asked: null },
      { command: "/other" },
      { launcher: { size: 2501, modified: 1_700_000_000_000 } },
      { launcher: { size: 2500, modified: 1_700_000_000_001 } },
      { config: null },
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
  const good: readonly unknown[] = [
    "uwf-forecast",
    1,
    "mock",
    "/usr/bin/uwf-mock",
    [1, 2],
    null,
    [],
    null,
    true,
    [],
  ];
  const changed = (index: number, value: unknown) => JSON.stringify(good.with(index, value));

  it.each([
    ["nothing", ""],
    ["half of it", JSON.stringify(good).slice(0, -3)],
    ["an object", "{}"],
    ["null", "null"],
    ["another document", changed(0, "uwf-history")],
    ["another version", changed(1, 1)],
    ["no text that was asked for", changed(2, 7)],
    ["no command", changed(3, null)],
    ["a relative command", changed(3, "uwf-mock")],
    ["a command with NUL", changed(3, "/usr/bin/uwf-mock\0")],
    ["no launcher", changed(4, null)],
    ["half a launcher", changed(4, [1])],
    ["a configuration that is none", changed(5, 7)],
    ["no list of arguments", changed(6, "a")],
    ["an argument that is no text", changed(6, [1])],
    ["no names", changed(7, [null])],
    ["no boolean", changed(8, "true")],
    ["no names of keys", changed(9, null)],
  ])("%s is taken for none, and replaced by the next", (_name, text) => {
    expect(parseForecast(text)).toBeNull();
    const storage = tempStorage();
    keepForecast(storage, FORECAST);
    writeFileSync(storage.paths.forecast, text);
    keepForecast(storage, FORECAST);
    expect(read(storage)).toEqual(FORECAST);
  });

  it("a folder in its place stays, and what a link leads to is not changed", () => {
    const storage = tempStorage();
    mkdirSync(storage.paths.forecast, { recursive: true });
    keepForecast(storage, FORECAST);
    keepForecast(storage, null);
    expect(statSync(storage.paths.forecast).isDirectory()).toBe(true);

    const other = tempStorage();
    mkdirSync(other.root, { recursive: true });
    const target = join(other.root, "target");
    writeFileSync(target, "as it was");
    symlinkSync(target, other.paths.forecast);
    keepForecast(other, FORECAST);
    expect(readFileSync(target, "utf8")).toBe("as it was");
    expect(read(other)).toEqual(FORECAST);
  });
});
