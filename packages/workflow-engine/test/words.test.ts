import { split } from "shlex";
import { describe, expect, it } from "vitest";
import { splitWords } from "../src/step/parse.js";

describe("an agent's command line", () => {
  it.each([
    ["uwf-mock", ["uwf-mock"]],
    ["uwf-mock --scenario 'my file.yaml'", ["uwf-mock", "--scenario", "my file.yaml"]],
    ['a "b c" d\\ e', ["a", "b c", "d e"]],
    ["a $HOME `x`", ["a", "$HOME", "`x`"]],
    [
      "sh -c 'a && b | c > d; e' '&&' \"|\" \\; a;b x>=1",
      ["sh", "-c", "a && b | c > d; e", "&&", "|", ";", "a;b", "x>=1"],
    ],
    ["a ''", ["a", ""]],
  ])("%s is split as a shell would, and nothing is expanded", (text, words) => {
    expect(splitWords(text)).toEqual({ ok: true, value: words });
  });

  it.each([
    "uwf-mock",
    "/a/b.c",
    "~",
    "'a b'",
    "'a\\b'",
    "'a\nb'",
    "'\"'",
    "'a''b'",
    "a'b'",
    "a#b",
    "#a",
    "é",
    "'é $x'",
  ])("%j, one word at most, is read as by the complete parser", (text) => {
    const [program = "", ...args] = split(text);
    const expected = program === "" ? { ok: false } : { ok: true, value: [program, ...args] };
    expect(splitWords(text)).toMatchObject(expected);
  });

  it.each([
    ["npm ci && uwf-claude", "&&"],
    ["npm test || true", "||"],
    ["uwf-claude | tee log", "|"],
    ["cd sub; uwf-claude", ";"],
    ["cd sub ; uwf-claude", ";"],
    ["uwf-claude &", "&"],
    ["uwf-claude 2> log", "2>"],
    ["uwf-claude >log", ">log"],
    ["uwf-claude 2>&1", "2>&1"],
    ["uwf-mock < answers", "<"],
  ])("%s says that no shell runs it", (text, operator) => {
    const reason = expect.stringContaining(`no shell runs it, which ${operator} needs`);
    expect(splitWords(text)).toMatchObject({ ok: false, error: { code: "MALFORMED_AGENT_COMMAND", reason } });
  });

  it.each([["a 'b"], ['a "b'], [""], ["  "], ["''"]])("%j is refused", (text) => {
    expect(splitWords(text)).toMatchObject({ ok: false, error: { code: "MALFORMED_AGENT_COMMAND", text } });
  });
});
