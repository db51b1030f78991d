import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

// file → exit code → message. Nothing is stored of a file that is refused.

type Case = readonly [name: string, content: string | Uint8Array, code: string, ...messages: string[]];

const INVALID = "INVALID_WORKFLOW";
const role = (name: string): string => TURNS.replaceAll("maker", name);
const meta = (yaml: string): string =>
  TURNS.replace(
    /meta:\n {6}type: object\n {6}required: \[text\][\s\S]*?additionalProperties: false\n/,
    `meta: ${yaml}\n`,
  );
const expression = (text: string): string =>
  TURNS.replace("steps[-1].output.approved = false", JSON.stringify(text));

const REFUSED: readonly Case[] = [
  ["empty", "", INVALID],
  ["not a map", "- a\n- b\n", INVALID],
  ["several documents", `${TURNS}---\n${TURNS}`, INVALID, "document"],
  ["a syntax error", TURNS.replace("goal: Make it", "goal: [Make it"), INVALID, "workflow.yaml:"],
  ["an anchor", TURNS.replace("goal: Make it", "goal: &a Make it"), INVALID, ":6:"],
  ["duplicate keys", TURNS.replace("goal: Make it", "goal: Make it\n    goal: Make"), INVALID, "goal"],
  ["tabs", TURNS.replace("    goal: Make it", "\tgoal: Make it"), INVALID, "tab"],
  ["2 MiB", `${TURNS}# ${"x".repeat(2 * 1024 * 1024)}\n`, "TOO_LARGE", "1048576"],
  ["an unknown key", TURNS.replace("goal: Make it", "goals: Make it"), INVALID, 'did you mean "goal"'],
  ["goal: 42", TURNS.replace("goal: Make it", "goal: 42"), INVALID, ":6:", "42"],
  [
    "capabilities as a string",
    TURNS.replace("capabilities: [making]", "capabilities: making"),
    INVALID,
    "capabilities",
  ],
  ["a role named $START", role("$START"), INVALID, "$START"],
  ["a role named __proto__", role("__proto__"), INVALID, "__proto__"],
  ["a role named --help", role("--help"), INVALID, "--help"],
  ["a role named a/b", role("a/b"), INVALID, "a/b"],
  ["a role with spaces", role("a b"), INVALID, "a b"],
  ["a role in Unicode", role("größe"), INVALID, "größe"],
  ["a name with capitals", TURNS.replace("name: turns", "name: Turns"), INVALID, "Turns"],
  [
    "a transition to nowhere",
    TURNS.replace("{ role: checker, condition: null }", "{ role: cheker, condition: null }"),
    INVALID,
    'did you mean "checker"',
  ],
  ["a graph key $END", `${TURNS}  $END:\n    - { role: maker, condition: null }\n`, INVALID, "$END"],
  ["no $START", TURNS.replace("  $START:\n    - { role: maker, condition: null }\n", ""), INVALID, "$START"],
  [
    "a role without a graph entry",
    TURNS.replace("  maker:\n    - { role: checker, condition: null }\n", ""),
    INVALID,
    "maker",
  ],
  [
    "an unknown condition",
    TURNS.replace("condition: rejected", "condition: rejcted"),
    INVALID,
    'did you mean "rejected"',
  ],
  ["an empty condition", expression(""), INVALID, "rejected"],
  ["a condition that does not parse", expression("steps["), INVALID, "rejected"],
  ["a condition with $now", expression("$now() = 1"), INVALID, "$now"],
  ["a condition with a look-ahead", expression("$match(start.prompt, /a(?=b)/)"), INVALID],
  ["a condition with ==", expression("steps[-1].output.approved == false"), INVALID, "did you mean `=`?"],
  [
    "a condition that compares what is never equal, with the place in the expression",
    TURNS.replace("approved = false", "approved = 'false'"),
    INVALID,
    ":31:45: the condition rejected: steps[-1].output.approved is true or false",
    "did you mean `false`?",
  ],
  [
    "a condition in a block, with its line",
    TURNS.replace("expression: steps", "expression: |\n      true and\n      steps").replace(
      "approved = ",
      "aproved = ",
    ),
    INVALID,
    ":33:24: ",
    "did you mean `approved`?",
  ],
  ["no path to $END", TURNS.replace("role: $END", "role: checker"), INVALID, "no thread ever ends"],
  [
    "an unknown key that is near to none, with the known ones",
    TURNS.replace("goal: Make it", "goal: Make it\n    model: x"),
    INVALID,
    "known keys: description, goal, capabilities",
  ],
  ["meta: true", meta("true"), INVALID, "meta"],
  ["meta of an array", meta("{ type: array }"), INVALID, "object"],
  ["a typo in a keyword", meta("{ type: object, requird: [text] }"), INVALID, 'did you mean "required"'],
  [
    "a remote $ref",
    meta('{ type: object, properties: { a: { $ref: "https://example.org/s" } } }'),
    INVALID,
    "remote reference",
  ],
  ["invalid UTF-8", new Uint8Array([0xff, 0xfe, 0x41]), "INVALID_INPUT"],
];

const ACCEPTED: readonly (readonly [string, string])[] = [
  ["a BOM", `\ufeff${TURNS}`],
  ["CRLF", TURNS.replaceAll("\n", "\r\n")],
  ["comments and another key order", `# a comment\n${TURNS}`],
  ["a role named constructor", role("constructor")],
  [
    "a description that looks like a date",
    TURNS.replace("description: Two roles in turn", "description: 2024-01-01"),
  ],
  [
    "a recursive $ref",
    meta('{ type: object, properties: { child: { $ref: "#" }, text: { type: string } } }'),
  ],
];

describe("workflow put refuses", () => {
  it.each(REFUSED)("%s, and stores nothing", async (_name, content, code, ...messages) => {
    const box = sandbox();
    const ran = await box.uwf(["workflow", "put", box.write("workflow.yaml", content)]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain(`error[${code}]: `);
    expect(ran.stderr).toContain("hint: ");
    for (const message of messages) expect(ran.stderr).toContain(message);
    expect(box.snapshot()).toEqual({});
  });

  it("a missing file and a folder with exit 3", async () => {
    const box = sandbox();
    mkdirSync(join(box.cwd, "folder.yaml"));
    for (const file of ["nowhere.yaml", "folder.yaml"]) {
      const ran = await box.uwf(["workflow", "put", file]);
      expect(ran).toMatchObject({ code: 3, stdout: "" });
      expect(ran.stderr).toContain("error[FILE_NOT_FOUND]");
      expect(ran.stderr).toContain(file);
    }
  });

  it("everything at once, in the order of the file", async () => {
    const box = sandbox();
    const bad = TURNS.replace("goal: Make it", "goal: 42").replace(
      "role: checker, condition",
      "role: cheker, condition",
    );
    const ran = await box.uwf(["workflow", "put", box.write("turns.yaml", bad)]);
    expect(ran.stderr).toContain("2 problems");
    expect(ran.stderr.indexOf("42")).toBeLessThan(ran.stderr.indexOf("cheker"));
  });
});

describe("workflow put accepts", () => {
  it.each(ACCEPTED)("%s", async (_name, content) => {
    const box = sandbox();
    const put = await box.json(["workflow", "put", box.write("turns.yaml", content)]);
    expect(put).toMatchObject({ name: "turns" });
  });

  it("the same content under the same hash, whatever the order of keys and the comments", async () => {
    const box = sandbox();
    const first = await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    const [name, ...others] = TURNS.split("\n");
    const second = await box.json([
      "workflow",
      "put",
      box.write("turns.yaml", `# c\n${others.join("\n")}${name}\n`),
    ]);
    expect(second.hash).toBe(first.hash);
  });

  it("warnings, which --strict refuses", async () => {
    const box = sandbox();
    const file = box.write("another-name.yaml", TURNS);
    const put = await box.uwf(["workflow", "put", file]);
    expect(put.code).toBe(0);
    expect(put.stderr).toContain("warning: ");
    expect(JSON.parse(put.stdout).warnings).toHaveLength(1);
    expect((await box.uwf(["workflow", "put", file, "--strict"])).code).toBe(4);
  });
});
