import { beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../../src/screen/index.js";
import { COLOURS, CONTROLS, HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

const TYPO = "writer: [{ role: reviwer, condition: null }]";
const ROLE =
  "{ description: 日本語 👩‍👩‍👧‍👦, goal: G, capabilities: [], procedure: P, output: O, meta: { type: object } }";

/** The caret of the mistake stands in a line of its own, below the source. */
const typoYaml = `name: typo
description: Leads to a role that is not there
roles:
  writer: ${ROLE}
  reviewer: ${ROLE}
conditions: {}
graph:
  $START: [{ role: writer, condition: null }]
  ${TYPO}
  reviewer: [{ role: $END, condition: null }]
`;

const SCENARIO = `roles:
  maker: [{ reply: "---\\ntext: made\\n---\\n\\e[2J" }]
  checker: [{ reply: "---\\napproved: true\\n---\\n" }]
expect: [maker, maker]
`;

let box: Sandbox;

beforeAll(async () => {
  box = sandbox();
  box.write("typo.yaml", typoYaml);
  box.write("turns.yaml", TURNS);
  box.write("turns.scenario.yaml", SCENARIO);
  box.write("other.yaml", TURNS.replace("Make it", "Make \\u001b[2Jthis").replace("checks", "checks it all"));
  await box.json(["workflow", "put", "turns.yaml"]);
});

const plain = (text: string): string => text.replace(COLOURS, "");
const untimed = (text: string): string => plain(text).replace(/\d+(?:\.\d+)? m?s\b/g, "<time>");
const on = (args: readonly string[], columns: number, env: Readonly<Record<string, string>> = {}) =>
  onTerminal(box, ["workflow", ...args], { columns, env });

const COMMANDS = [
  { args: ["validate", "typo.yaml"], code: 4 },
  { args: ["test", "turns.yaml"], code: 4 },
  { args: ["diff", "turns", "./other.yaml"], code: 0 },
] as const;

describe.skipIf(!HAS_TERMINALS)("workflow validate on a terminal", () => {
  it.each([80, 40])("shows the line with a caret under the mistake, within %i columns", async (columns) => {
    const { code, stdout } = await on(["validate", "typo.yaml"], columns);
    expect(code).toBe(4);
    const lines = plain(stdout).trimEnd().split("\n");
    expect(lines[0]).toBe(
      "typo.yaml:9:20: error[unknown-role]: writer leads to reviwer, which is not a role",
    );
    const source = lines.findIndex((line) => line.includes("9 | "));
    const [text = "", caret = ""] = lines.slice(source, source + 2);
    expect(text.slice(caret.indexOf("^"), caret.lastIndexOf("^") + 1)).toBe("reviwer");
    expect(plain(stdout)).toContain('did you mean "reviewer"?');
    const framed = lines.filter((line) => /^ *\d* \| /.test(line));
    expect(framed.length).toBeGreaterThan(2);
    expect(framed.filter((line) => widthOf(line) > columns)).toEqual([]);
    expect(lines.at(-1)).toBe("typo.yaml: not valid: 1 error");
  });

  it("colours an error and its caret red, and what is valid green", async () => {
    const { stdout } = await on(["validate", "typo.yaml", "turns.yaml"], 80);
    expect(stdout).toContain("\u001b[31merror[unknown-role]\u001b[39m");
    expect(stdout).toContain("\u001b[31m^^^^^^^\u001b[39m");
    expect(stdout).toContain("\u001b[32mvalid");
  });
});

describe.skipIf(!HAS_TERMINALS)("workflow test on a terminal", () => {
  it.each([80, 40])("says which scenario fails and where, on %i columns", async (columns) => {
    const { code, stdout } = await on(["test", "turns.yaml"], columns);
    expect(code).toBe(4);
    expect(plain(stdout)).toMatch(/^turns {2}turns\.yaml$/m);
    expect(plain(stdout)).toMatch(/✗ turns\.scenario\.yaml/);
    expect(stdout).toContain("\u001b[31m✗");
    expect(plain(stdout)).toContain("checker");
  });

  it("says in green that all is well", async () => {
    box.write("fine/turns.yaml", TURNS);
    box.write("fine/turns.scenario.yaml", SCENARIO.replace("[maker, maker]", "[maker, checker]"));
    const { code, stdout } = await on(["test", "fine/turns.yaml"], 80);
    expect(code).toBe(0);
    expect(stdout).toContain("\u001b[32m✓");
    expect(plain(stdout)).toMatch(/coverage: \d of \d transitions taken/);
  });
});

describe.skipIf(!HAS_TERMINALS)("workflow diff on a terminal", () => {
  it.each([80, 40])("marks what goes red and what comes green, on %i columns", async (columns) => {
    const { code, stdout } = await on(["diff", "turns", "./other.yaml"], columns);
    expect(code).toBe(0);
    expect(stdout).toContain("\u001b[31m- turns ");
    expect(stdout).toContain("\u001b[32m+ turns ");
    expect(plain(stdout)).toMatch(/~ checker/);
  });
});

describe.skipIf(!HAS_TERMINALS)("workflow validate, test and diff", () => {
  it.each(COMMANDS)(
    "print nothing but text with NO_COLOR or --color never ($args.0)",
    async ({ args, code }) => {
      const coloured = await on(args, 80);
      expect(coloured.code).toBe(code);
      for (const [words, env] of [
        [args, { NO_COLOR: "1" }],
        [[...args, "--color", "never"], {}],
        [args, { TERM: "dumb" }],
      ] as const) {
        const ran = await on(words, 80, env);
        expect(ran.code).toBe(code);
        expect(ran.stdout).not.toMatch(CONTROLS);
        // What is marked by colour alone has other marks there.
        if (args[0] !== "diff") expect(untimed(ran.stdout)).toBe(untimed(coloured.stdout));
        else expect(ran.stdout).toContain("{+ it all+}");
      }
    },
  );

  it.each(COMMANDS)(
    "let no text of a file reach the terminal as more than text ($args.0)",
    async ({ args }) => {
      expect(plain((await on(args, 80)).stdout)).not.toMatch(CONTROLS);
    },
  );
});
