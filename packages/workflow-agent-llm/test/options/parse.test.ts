import { describe, expect, it } from "vitest";
import { helpOf, parseOptions } from "../../src/options.js";

const USUAL = {
  model: null,
  more: {},
  timeoutMs: null,
  idleMs: 240_000,
  wordlessMs: 600_000,
  maxRounds: 50,
  contextLimit: 400_000,
  outputLimit: 30_000,
  commandMs: 600_000,
  shell: true,
  passEnv: [],
};

describe("the options", () => {
  it("have sensible defaults", () => {
    expect(parseOptions([], "react")).toEqual({ ok: true, value: USUAL });
    expect(parseOptions([], "llm")).toEqual({ ok: true, value: USUAL });
  });

  it("are read in both forms", () => {
    const args = [
      "--model=big",
      "--max-rounds",
      "7",
      "--idle=9",
      "--think=90",
      "--timeout",
      "60",
      "--no-shell",
      "--pass-env",
      "A",
      "--pass-env=B",
      "--param",
      'stop=["x"]',
      "--param=seed=7",
      "--context-limit=88",
      "--output-limit",
      "99",
      "--shell-timeout",
      "5",
    ];
    const options = {
      model: "big",
      maxRounds: 7,
      idleMs: 9000,
      wordlessMs: 90_000,
      timeoutMs: 60_000,
      shell: false,
      passEnv: ["A", "B"],
      more: { stop: ["x"], seed: 7 },
      contextLimit: 88,
      outputLimit: 99,
      commandMs: 5000,
    };
    expect(parseOptions(args, "react")).toEqual({ ok: true, value: options });
  });

  it.each([
    [["--max-rounds", "0"], '--max-rounds is a whole number from 1 to 10000, not "0"'],
    [["--idle", "301"], '--idle is a whole number from 1 to 300, not "301"'],
    [["--timeout", "1e9"], "--timeout is a whole number"],
    [["--param", "x"], '--param is name=value, not "x"'],
    [["--param", "messages=[]"], "--param cannot set messages"],
    [["--model"], "--model"],
    [["--frobnicate"], "unknown option '--frobnicate'"],
    [["--modle", "x"], `unknown option '--modle', did you mean "--model"?`],
    [["word"], "unexpected argument 'word'"],
  ])("are refused: %j", (args, words) => {
    const parsed = parseOptions(args, "react");
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(words) });
    if (!parsed.ok) expect(parsed.error).not.toContain("\n");
  });

  it("of uwf-react are refused by uwf-llm", () => {
    expect(parseOptions(["--no-shell"], "llm").ok).toBe(false);
  });

  it("stand in the help", () => {
    const named = (kind: "llm" | "react"): readonly string[] =>
      [...helpOf(kind).matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name ?? "");
    const ofBoth = ["model", "param", "timeout", "idle", "think"];
    expect(named("llm")).toEqual([...ofBoth, "check", "version"]);
    expect(named("react")).toEqual([
      ...ofBoth,
      "max-rounds",
      "context-limit",
      "output-limit",
      "shell-timeout",
      "no-shell",
      "pass-env",
      "check",
      "version",
    ]);
  });
});
