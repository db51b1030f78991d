import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/words/index.js";

describe("an agent's command line", () => {
  it.each([
    ["uwf-mock", ["uwf-mock"]],
    ["uwf-mock --scenario 'my file.yaml'", ["uwf-mock", "--scenario", "my file.yaml"]],
    ['a "b c" d\\ e', ["a", "b c", "d e"]],
    ["a $HOME `x` ; rm", ["a", "$HOME", "`x`", ";", "rm"]],
    ["a ''", ["a", ""]],
  ])("%s is split as a shell would, and nothing is expanded", (text, words) => {
    expect(splitWords(text)).toEqual({ ok: true, value: words });
  });

  it.each([["a 'b"], ['a "b'], [""], ["  "], ["''"]])("%j is refused", (text) => {
    expect(splitWords(text)).toMatchObject({ ok: false, error: { code: "MALFORMED_AGENT_COMMAND", text } });
  });
});
