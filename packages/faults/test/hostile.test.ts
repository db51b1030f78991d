import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { plantCanaries, touched } from "../src/hostile/binaries/files.js";
import { hostile, mannersOf, rawControl } from "../src/hostile/index.js";
import { batchOf } from "../src/hostile/pure/batch.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-hostile-")));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("hostile input", () => {
  it("is answered within limits and with clear errors, wherever it is read", async () => {
    const { figures, violations } = await runKind(hostile, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["workflow files"]).toBeGreaterThanOrEqual(100);
    expect(figures.replies).toBeGreaterThanOrEqual(500);
    expect(figures["node bytes"]).toBeGreaterThanOrEqual(1_000);
    expect(figures["command lines"]).toBeGreaterThanOrEqual(200);
    expect(figures["commands of real binaries"]).toBeGreaterThanOrEqual(50);
    expect(figures["MB in the largest process"]).toBeGreaterThan(20);
  }, 180_000);
});

describe("the harness sees", () => {
  const said = { code: 0, stdout: "", stderr: "" };
  const error = "error[USAGE]: no\nhint: do\n";

  it.each([
    ["an escape sequence on stdout", { ...said, stdout: "\u001b[31m" }],
    ["a C1 control on stderr", { ...said, stderr: "\u009b2J" }],
    ["a bug", { ...said, code: 1, stderr: error }],
    ["a death", { ...said, code: null }],
    ["half an answer before an error", { ...said, code: 2, stdout: "{", stderr: error }],
    ["an error without a hint", { ...said, code: 2, stderr: "error[USAGE]: no\n" }],
    ["a stack trace", { ...said, code: 2, stderr: `${error}    at main (/a/b.js:1:2)\n` }],
  ])("%s", (_name, ran) => {
    expect(mannersOf(["thread", "list"], ran)).not.toEqual([]);
  });

  it("no fault in a clear error", () => {
    expect(mannersOf(["thread", "list"], { ...said, code: 2, stderr: error })).toEqual([]);
    expect(rawControl("lines\n\tand ü")).toBeNull();
  });

  it("a case that throws, one that takes too long, and a prototype that was touched", async () => {
    const failing = await batchOf(fc.nat(), 1_000, (value) => {
      if (value > 5) throw new Error("planted");
    })(1, 50);
    expect(failing.failure).toContain("planted");
    // Far more work than a thousandth of a millisecond of processor time.
    const slow = await batchOf(fc.constant("x"), 0.001, (text) =>
      Buffer.alloc(4_000_000, text).toString("hex"),
    )(1, 1);
    expect(slow.failure).toContain("ms");
    const polluting = batchOf(fc.constant("x"), 1_000, () => {
      Object.defineProperty(Object.prototype, "polluted", { value: true, configurable: true });
    });
    expect((await polluting(1, 1)).failure).toContain("polluted");
    Reflect.deleteProperty(Object.prototype, "polluted");
  });

  it("a canary that was read or written", () => {
    mkdirSync(join(folder, "cage"));
    const canaries = plantCanaries(join(folder, "cage"));
    const silent = { code: 0, signal: null, stdout: "", stderr: "" };
    expect(touched(canaries, silent)).toEqual([]);
    expect(touched(canaries, { ...silent, stderr: canaries[0]?.text ?? "" })).toHaveLength(1);
    writeFileSync(canaries[1]?.path ?? "", "gone");
    expect(touched(canaries, silent)).toHaveLength(1);
  });
});
