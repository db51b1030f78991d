import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { processStartTime } from "@uncaged/json-cas-fs";
import { describe, expect, it } from "vitest";
import {
  barRun,
  findRuns,
  newRun,
  readPid,
  readReport,
  removeRun,
  runDirOf,
  type Storage,
  stderrTail,
  stdoutTail,
} from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, THREAD, tempRoot, tempStorage } from "../support/index.js";

const RUN = {
  head: HASH_A,
  role: "developer",
  command: ["/bin/agent", "-x", THREAD, "developer"],
  token: "tok-1",
  attempt: 1,
};

function make(storage: Storage = tempStorage(), token = "tok-1") {
  return good(newRun(storage, THREAD, { ...RUN, token }));
}

describe("newRun", () => {
  it("makes run.json and an empty stdout, both with durable names, before anything else is there", () => {
    const storage = tempStorage();
    const run = make(storage);
    expect(readdirSync(run.dir)).toEqual(["run.json", "stdout"]);
    const record = JSON.parse(readFileSync(run.runFile, "utf8"));
    const keys = ["token", "head", "role", "command", "startedAt"];
    const origin = ["bootId", "host", "machineId", "pidNamespace", "place"];
    expect(Object.keys(record)).toEqual([...keys, ...origin, "attempt"]);
    expect(record).toMatchObject(RUN);
    expect(readdirSync(join(storage.paths.runs, THREAD))).toEqual(["tok-1"]);
  });

  it("sweeps what a crash left half made or half removed", () => {
    const storage = tempStorage();
    const folder = join(storage.paths.runs, THREAD);
    for (const name of [".new-a", ".gone-b"]) mkdirSync(join(folder, name), { recursive: true });
    make(storage);
    expect(readdirSync(folder)).toEqual(["tok-1"]);
  });

  it.each(["", "..", "a/b", "ending", ".hidden", "a".repeat(200)])("refuses the token %j", (token) => {
    expect(runDirOf(tempStorage(), THREAD, token)).toBeNull();
    expect(bad(newRun(tempStorage(), THREAD, { ...RUN, token })).code).toBe("BUG");
  });

  it("says so when it cannot be made", () => {
    const file = join(tempRoot(), "file");
    writeFileSync(file, "");
    expect(bad(newRun(tempStorage(file), THREAD, RUN)).code).toBe("IO_FAILED");
  });
});

describe("findRuns", () => {
  it("finds none where there is nothing", () => {
    expect(good(findRuns(tempStorage(), THREAD))).toEqual([]);
  });

  it("finds what newRun made, and looks at nothing else", () => {
    const storage = tempStorage();
    const [second, first] = [make(storage, "a"), make(storage, "b")];
    const folder = join(storage.paths.runs, THREAD);
    writeFileSync(join(folder, "ending"), "{}");
    for (const name of [".new-c", ".gone-d", "empty"]) mkdirSync(join(folder, name));
    expect(good(findRuns(storage, THREAD)).map((run) => run.token)).toEqual([second.token, first.token]);
    expect(good(findRuns(storage, THREAD))[0]).toMatchObject({ ...second, record: { ...RUN, token: "a" } });
  });

  it.each(["", "{", "[]", '{"token":"a"}', `{"token":"a","head":"x","role":"r","command":[],"startedAt":1}`])(
    "calls a run.json of %j damaged",
    (text) => {
      const storage = tempStorage();
      const run = make(storage);
      writeFileSync(run.runFile, text);
      expect(bad(findRuns(storage, THREAD))).toMatchObject({ code: "STORE_DAMAGED", file: run.runFile });
    },
  );
});

describe("findRuns, of a run whose run.json is gone", () => {
  it.each(["pid", "stdout"])("calls it damaged where there still is a %s", (name) => {
    const storage = tempStorage();
    const run = make(storage);
    for (const each of readdirSync(run.dir)) rmSync(join(run.dir, each));
    expect(good(findRuns(storage, THREAD))).toEqual([]);
    writeFileSync(join(run.dir, name), "");
    expect(bad(findRuns(storage, THREAD))).toMatchObject({ code: "STORE_DAMAGED", file: run.runFile });
  });
});

describe("findRuns, of a run.json that is another run's", () => {
  it("calls it damaged", () => {
    const storage = tempStorage();
    const [run, other] = [make(storage, "a"), make(storage, "b")];
    writeFileSync(run.runFile, readFileSync(other.runFile));
    expect(bad(findRuns(storage, THREAD))).toMatchObject({ code: "STORE_DAMAGED", file: run.runFile });
  });
});

describe("removeRun", () => {
  it("takes the run away with all its files, once or twice", () => {
    const storage = tempStorage();
    const run = make(storage);
    const other = make(storage, "tok-2");
    writeFileSync(run.stdout, "x");
    good(removeRun(run));
    good(removeRun(run));
    expect(existsSync(run.dir)).toBe(false);
    expect(good(findRuns(storage, THREAD)).map((found) => found.token)).toEqual([other.token]);
    expect(readdirSync(join(storage.paths.runs, THREAD))).toEqual(["tok-2"]);
  });

  it("finds nothing to do where the thread's folder is gone", () => {
    good(removeRun(runDirOf(tempStorage(), THREAD, "tok-1")!));
  });
});

describe("barRun", () => {
  it("bars a run that has not started, for good", () => {
    const run = make();
    expect(barRun(run)).toBe("barred");
    expect(barRun(run)).toBe("barred");
    expect(readPid(run)).toBeNull();
    expect(() => writeFileSync(run.pidFile, "1", { flag: "wx" })).toThrow(/EEXIST/);
  });

  it("comes too late for one that has", () => {
    const run = make();
    writeFileSync(run.pidFile, "", { flag: "wx" });
    expect(barRun(run)).toBe("started");
  });
});

describe("readPid", () => {
  it("reads the line of /proc that the agent left", () => {
    const run = make();
    const line = readFileSync("/proc/self/stat", "utf8");
    writeFileSync(run.pidFile, line);
    expect(readPid(run)).toEqual({ pid: process.pid, startTime: processStartTime(process.pid) });
  });

  it.each([
    [
      "a name with spaces and parentheses",
      `12 (a ) b) S ${"0 ".repeat(18)}777 0\n`,
      { pid: 12, startTime: "777" },
    ],
    ["a pid alone", "12\n", { pid: 12, startTime: null }],
    ["nothing yet", "", null],
    ["a line that was cut short", "12 (sh) S 1 12", null],
    ["words", "barred\n", null],
    ["pid 0", "0 (x) S\n", null],
    ["a negative pid", "-12\n", null],
  ])("takes %s for what it is", (_, text, expected) => {
    const run = make();
    writeFileSync(run.pidFile, text);
    expect(readPid(run)).toEqual(expected);
  });

  it("is null before the agent has started", () => {
    expect(readPid(make())).toBeNull();
  });
});

describe("tails", () => {
  it("are empty before there is output", () => {
    const run = make();
    expect([stdoutTail(run), stderrTail(run, 10)]).toEqual(["", ""]);
  });

  it("read only the last bytes, from a complete character on", () => {
    const run = make();
    writeFileSync(run.stdout, `${"x".repeat(100_000)}\n${HASH_A}\n`);
    writeFileSync(run.stderr, "äöü€");
    expect(stdoutTail(run)).toHaveLength(64 * 1024);
    expect(stdoutTail(run)?.endsWith(`\n${HASH_A}\n`)).toBe(true);
    expect([9, 8, 5, 4, 3, 2, 1].map((bytes) => stderrTail(run, bytes))).toEqual([
      "äöü€",
      "öü€",
      "ü€",
      "€",
      "€",
      "",
      "",
    ]);
  });

  it("are not those of something else in the place of the file", () => {
    const run = make();
    rmSync(run.stdout);
    mkdirSync(run.stdout);
    symlinkSync("/dev/zero", run.stderr);
    expect([stdoutTail(run), stderrTail(run, 10)]).toEqual([null, ""]);
  });
});

describe("readReport", () => {
  it("returns what the kit reported, without invalid fields", () => {
    const run = make();
    expect(readReport(run)).toBeNull();
    writeFileSync(run.report, "not json");
    expect(readReport(run)).toBeNull();
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, costUsd: 0.5 };
    const words = `said ${"x".repeat(500)}`;
    writeFileSync(
      run.report,
      JSON.stringify({ sessionId: "s", cwd: "/w", model: "m", usage, raw: HASH_B, words }),
    );
    expect(readReport(run)).toEqual({
      sessionId: "s",
      cwd: "/w",
      model: "m",
      usage,
      extractUsage: null,
      raw: HASH_B,
      fault: null,
      words: words.slice(0, 200),
    });
    writeFileSync(
      run.report,
      JSON.stringify({ sessionId: 1, usage: { inputTokens: "1" }, raw: "x", words: 1 }),
    );
    expect(readReport(run)).toEqual({
      sessionId: null,
      cwd: null,
      model: null,
      usage: null,
      extractUsage: null,
      raw: null,
      fault: null,
      words: null,
    });
  });

  it("returns the reported failure, within limits", () => {
    const run = make();
    const told = (fault: unknown) => {
      writeFileSync(run.report, JSON.stringify({ fault }));
      return readReport(run)?.fault ?? null;
    };
    const whole = {
      code: "AGENT_FAILED",
      reason: "rate-limit",
      retryAfter: 3,
      retryable: true,
      message: "m",
      hint: "h",
    };
    expect(told(whole)).toEqual(whole);
    expect(told({ ...whole, reason: "weather", retryAfter: -1, hint: 7, retryable: false })).toEqual({
      ...whole,
      ...{ reason: null, retryAfter: null, hint: null, retryable: false },
    });
    const month = 31 * 24 * 3600;
    const waits = [0, 0.2, month, month + 1, "3"].map(
      (retryAfter) => told({ ...whole, retryAfter })?.retryAfter,
    );
    expect(waits).toEqual([0, 1, month, null, null]);
    expect(told({ ...whole, message: "m".repeat(20_000) })?.message).toHaveLength(8000);
    expect(told({ ...whole, code: "C".repeat(100) })?.code).toHaveLength(64);
    expect(told({ ...whole, hint: "h".repeat(2_000) })?.hint).toHaveLength(1000);
    for (const none of ["words", [], { ...whole, message: "" }, { ...whole, code: 1 }])
      expect(told(none)).toBeNull();
    expect(told({ ...whole, message: "m".repeat(100_000) })).toBeNull();
  });
});
