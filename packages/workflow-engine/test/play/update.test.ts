import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { namesOf, newScenarioText, withAdditions } from "../../src/play/update.js";
import { scenarioOf } from "./support.js";

const NOTHING = { expect: null, end: null, replies: new Map<string, string>() };
const REPLY = "---\napproved: true\n---\nFine.\n";
const BOTH = { expect: ["a", "b"], end: "$FAIL", replies: new Map([["b", REPLY]]) };

const TEXT = `# What this is about.

texts: { one: "1" }   # a text

roles:
  # The first.
  a:
    - reply: |
        ---
        note: x
        ---

        # no comment

# The end.
`;

describe("what a scenario lacks", () => {
  it("is written beside what is there, which stays as it is to the character", async () => {
    const text = withAdditions(TEXT, BOTH);
    expect(text).toBe(
      TEXT.replace("texts:", "expect: [a, b]\nend: $FAIL\n\ntexts:").replace(
        "        # no comment\n",
        "        # no comment\n\n  b:\n    - reply: |\n        ---\n        approved: true\n        ---\n        Fine.\n",
      ),
    );
    const { expect: order, end, roles } = await scenarioOf(text);
    expect([order, end, roles.get("b")?.[0]?.reply]).toEqual([["a", "b"], "$FAIL", REPLY]);
  });

  it("changes nothing if there is nothing", () => {
    expect(withAdditions(TEXT, NOTHING)).toBe(TEXT);
    expect(namesOf(NOTHING)).toEqual([]);
    expect(namesOf(BOTH)).toEqual(["expect", "end", "roles.b"]);
  });

  const forms: readonly (readonly [string, string])[] = [
    ["without a newline at its end", 'roles:\n  a:\n    - reply: "x"'],
    ["with CRLF", TEXT.replaceAll("\n", "\r\n")],
    ["with keys after the roles", "roles:\n    a:\n    - reply: x   # c\n\nprompt: |\n  The task\n"],
    ["with lists that are not indented", "roles:\n  a:\n  - reply: x\n  - reply: y\n"],
    ["with document marks", "---\nroles:\n  a:\n    - reply: x\n...\n"],
    ["with its roles in braces", "# c\nroles: { a: [{ reply: x }] }   # d\n"],
    ["with no roles", "# c\nroles: {}\n"],
    ["in JSON", '{"roles": {"a": [{"reply": "x"}]}}'],
  ];

  it.each(forms)("is written into a text %s", (_form, text) => {
    const before = parse(text);
    const after = withAdditions(text, BOTH);
    expect(parse(after)).toEqual({
      ...before,
      expect: ["a", "b"],
      end: "$FAIL",
      roles: { ...before.roles, b: [{ reply: REPLY }] },
    });
    for (const comment of text.match(/# .*/g) ?? []) expect(after).toContain(comment);
    if (text.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("makes a new scenario where there is none", async () => {
    const path = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? "writer" : "reviewer"));
    const replies = new Map([
      ["writer", REPLY],
      ["reviewer", REPLY],
    ]);
    const text = newScenarioText("loop", { expect: path, end: null, replies });
    const scenario = await scenarioOf(text);
    expect(scenario).toMatchObject({ expect: path, end: null });
    expect([...scenario.roles.keys()]).toEqual(["writer", "reviewer"]);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(120);
  });
});
