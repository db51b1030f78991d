import { describe, expect, it } from "vitest";
import { errorMark, failureLine, reachedLimit, sessionIdIn, textIn } from "../../src/output.js";
import { captured } from "../helpers.js";

type Case = readonly [name: string, session: string | null, text: string, mark: string | null];

const HELLO = "Hello from the fake model.";
const MARK_401 =
  "Error: Error code: 401 - {'error': {'message': 'fake 401', 'type': 'fake_error', 'code': None, 'param': None}}";
const MARK_500 = "API call failed after 3 retries: HTTP 500: fake 500";

const CASES: readonly Case[] = [
  ["clean", "20261121_101932_e8dbc8", HELLO, null],
  ["quiet-tool", "20261121_101349_a31266", HELLO, null],
  ["resume", "20261121_101349_a31266", "second answer", null],
  ["badresume", null, "", null],
  ["fail401", "20261121_101454_a54e98", "", MARK_401],
  ["fail500", "20261121_101504_f6e8da", MARK_500, MARK_500],
  ["oneshot", null, HELLO, null],
  ["nonquiet", "20261121_101941_27c658", HELLO, null],
];

describe("a captured output of hermes", () => {
  for (const [name, session, text, mark] of CASES) {
    it(`is read: ${name}`, () => {
      const stdout = captured(`${name}.stdout`);
      const stderr = captured(`${name}.stderr`);
      expect(sessionIdIn(stdout, stderr)).toBe(session);
      expect(textIn(stdout)).toBe(text);
      expect(errorMark(stdout, stderr)).toBe(mark);
    });
  }

  it("gives the reason of a failed resume", () => {
    expect(failureLine(captured("badresume.stdout"), captured("badresume.stderr"))).toBe(
      "Session not found: 20200101_000000_dead00",
    );
  });
});

describe("the session id", () => {
  it("is the last one, since compression can change it during the run", () => {
    expect(sessionIdIn("", "session_id: a\nnoise\nsession_id: b\n")).toBe("b");
  });

  it("is taken from stdout of old versions", () => {
    expect(sessionIdIn("Answer\n\nsession_id: old_1\r\n", "")).toBe("old_1");
    expect(textIn("Answer\n\nsession_id: old_1\r\n")).toBe("Answer");
  });
});

describe("the text on stdout", () => {
  it("excludes the resume lines of old versions", () => {
    const stdout =
      "↻ Resumed session x (1 user message, 4 total messages)\n↻ Working directory: /w\n\nAnswer\n";
    expect(textIn(stdout)).toBe("Answer");
  });

  it("excludes a leaked reasoning box, but not a box without an end", () => {
    expect(textIn("┌─ Reasoning ──┐\nhm\n└──────┘\nAnswer\n")).toBe("Answer");
    expect(textIn("┌─ Reasoning ──┐\nAnswer\n")).toContain("Answer");
  });

  it("excludes the notice of the iteration limit, which is reported separately", () => {
    const stdout = "⚠️  Reached maximum iterations (1). Requesting summary...\nSummary\n";
    expect(textIn(stdout)).toBe("Summary");
    expect(reachedLimit(stdout, "")).toBe(true);
    expect(reachedLimit("Summary", "")).toBe(false);
  });

  it("keeps header and line ends of a reply", () => {
    expect(textIn("---\r\na: 1\r\n---\r\n\r\nBody\r\n")).toBe("---\na: 1\n---\n\nBody");
  });
});
