import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../../src/logger.js";

const THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV" as ThreadId;
const NOON = Date.UTC(2026, 2, 4, 12);

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-util-test-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const dir = (): string => join(root, "some", "logs");
const linesOf = (name: string): unknown[] =>
  readFileSync(join(dir(), name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

describe("createLogger", () => {
  it("touches nothing before the first line", () => {
    createLogger({ dir: dir(), now: () => NOON, thread: null });
    expect(readdirSync(root)).toEqual([]);
  });

  it("appends one line of JSON with tag, content, timestamp, thread and fields", () => {
    const log = createLogger({ dir: dir(), now: () => NOON, thread: THREAD });
    log("4KNMR2PX", "agent exited", { exitCode: 3, usage: null });
    log("4KNMR2PY", "two\nlines");
    expect(linesOf("2026-03-04.jsonl")).toEqual([
      { tag: "4KNMR2PX", content: "agent exited", timestamp: NOON, thread: THREAD, exitCode: 3, usage: null },
      { tag: "4KNMR2PY", content: "two\nlines", timestamp: NOON, thread: THREAD },
    ]);
  });

  it("leaves the thread out if there is none", () => {
    createLogger({ dir: dir(), now: () => NOON, thread: null })("4KNMR2PX", "x");
    expect(linesOf("2026-03-04.jsonl")).toEqual([{ tag: "4KNMR2PX", content: "x", timestamp: NOON }]);
  });

  it("does not let fields replace the standard ones, nor change the order", () => {
    createLogger({ dir: dir(), now: () => NOON, thread: null })("4KNMR2PX", "x", {
      tag: "other",
      timestamp: 1,
    });
    expect(JSON.stringify(linesOf("2026-03-04.jsonl")[0])).toBe(
      `{"tag":"4KNMR2PX","content":"x","timestamp":${NOON}}`,
    );
  });

  it("writes into the file of the UTC day", () => {
    const times = [Date.UTC(2026, 11, 31, 23, 59, 59, 999), Date.UTC(2027, 0, 1)];
    const log = createLogger({ dir: dir(), now: () => times.shift() ?? 0, thread: null });
    log("4KNMR2PX", "last of the year");
    log("4KNMR2PX", "first of the year");
    expect(readdirSync(dir()).sort()).toEqual(["2026-12-31.jsonl", "2027-01-01.jsonl"]);
  });

  it("creates a file for the owner only", () => {
    createLogger({ dir: dir(), now: () => NOON, thread: null })("4KNMR2PX", "x");
    expect(statSync(join(dir(), "2026-03-04.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("closes a line that was cut off, so that it spoils only itself", () => {
    const log = createLogger({ dir: dir(), now: () => NOON, thread: null });
    log("4KNMR2PX", "one");
    appendFileSync(join(dir(), "2026-03-04.jsonl"), '{"tag":"4KNM');
    log("4KNMR2PX", "two");
    const lines = readFileSync(join(dir(), "2026-03-04.jsonl"), "utf8").split("\n");
    expect(lines.map((line) => line.slice(0, 8))).toEqual(['{"tag":"', '{"tag":"', '{"tag":"', ""]);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({ content: "two" });
  });

  it("follows no link out of its folder", () => {
    const outside = join(root, "outside");
    writeFileSync(outside, "kept");
    mkdirSync(dir(), { recursive: true });
    symlinkSync(outside, join(dir(), "2026-03-04.jsonl"));
    createLogger({ dir: dir(), now: () => NOON, thread: null })("4KNMR2PX", "x");
    expect(readFileSync(outside, "utf8")).toBe("kept");
  });

  it("never throws", () => {
    writeFileSync(join(root, "some"), "a file where the folder should be");
    const log = createLogger({ dir: dir(), now: () => NOON, thread: null });
    expect(() => log("4KNMR2PX", "x")).not.toThrow();
    const noClock = createLogger({ dir: join(root, "logs"), now: () => Number.NaN, thread: null });
    expect(() => noClock("4KNMR2PX", "x")).not.toThrow();
    mkdirSync(join(root, "logs", "2026-03-04.jsonl"), { recursive: true });
    expect(() =>
      createLogger({ dir: join(root, "logs"), now: () => NOON, thread: null })("4KNMR2PX", "x"),
    ).not.toThrow();
  });
});
