import { describe, expect, it } from "vitest";
import { parseYamlDocument } from "../../src/documents/index.js";
import { linesOf, readWorkflowText } from "./support.js";

const CUT = 'a text that contains " #" must be quoted; a comment goes on a line of its own';

/** A sound workflow, with lines of it replaced. */
function workflow(changes: Readonly<Record<string, string>> = {}): string {
  const lines = {
    name: "name: solve # the first one",
    description: "description: Solves it",
    goal: "    goal: Get it done",
    capabilities: "    capabilities: [typing] # what else",
    procedure: "    procedure: | # in two steps\n      Fix issue #41.\n      Then #42.",
    output: "    output: 'A summary #1' # quoted",
    agent: "    agent: human # a person",
    meta: "      type: object # always\n      required: [summary] # one\n      properties:\n        summary: { type: string } # a text\n        level:\n          enum:\n            - low # unimportant\n            - high",
    expression: "    expression: \"steps[-1].output.summary = 'Fix #12'\" # quoted",
    role: "    - role: worker # the only one\n      condition: null # always",
    ...changes,
  };
  return `${lines.name}
${lines.description}
roles:
  # Who does it.
  worker:
    description: Works
    # On a line of its own.
${lines.goal}
${lines.capabilities}
${lines.procedure}
${lines.output}
${lines.agent}
    meta:
${lines.meta}
conditions:
  good:
    description: It is good
${lines.expression}
graph:
  $START:
${lines.role}
  worker:
    - { role: $END, condition: good } # done
    - { role: $END, condition: null }
`;
}

async function problems(text: string): Promise<readonly string[]> {
  return linesOf(await readWorkflowText(text, "solve.yaml", () => []));
}

describe("a text without quotes that a # would cut", () => {
  it("is told from comments that cut nothing", async () => {
    expect(await problems(workflow())).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["a description", { description: "description: Fix #41 and others" }, '2:18: … "Fix #41 and others"'],
    ["one word", { goal: "    goal: Close #41" }, '8:17: … "Close #41"'],
    [
      "a role's text",
      { procedure: "    procedure: fix issue #41 and others" },
      '10:26: … "fix issue #41 and others"',
    ],
    ["a comment that was meant", { goal: "    goal: Get it done # soon" }, '8:23: … "Get it done # soon"'],
    ["a tab", { goal: "    goal: Get it\t#41" }, '8:18: … "Get it\\t#41"'],
    ["a text over two lines", { procedure: "    procedure: fix\n      issue #41" }, "11:13: …"],
    [
      "a text in the middle of its lines",
      { procedure: "    procedure: fix\n      issue #41\n      and others" },
      "11:13: …",
    ],
    [
      "an item of a list",
      { capabilities: "    capabilities:\n      - read issue #41" },
      '10:20: … "read issue #41"',
    ],
    ["an item between brackets", { capabilities: "    capabilities: [Fix #12, Fix #13]" }, "9:24: …"],
    [
      "an item on a line between brackets",
      { capabilities: "    capabilities: [\n      Fix #12\n    ]" },
      "10:11: …",
    ],
    ["an item before others", { capabilities: "    capabilities: [Fix #12,\n      Fix]" }, "9:24: …"],
    [
      "an expression",
      { expression: "    expression: steps[-1].output.summary = 'Fix #12'" },
      `27:49: … "steps[-1].output.summary = 'Fix #12'"`,
    ],
    [
      "an expression with a position",
      { expression: "    expression: $exists(steps #$i[$i = 1])" },
      '27:31: … "$exists(steps #$i[$i = 1])"',
    ],
    [
      "a schema's description",
      { meta: "      type: object\n      description: see #12" },
      '17:24: … "see #12"',
    ],
    [
      "a schema's value",
      { meta: "      type: object\n      properties:\n        a: { const: Fix #12\n         }" },
      "18:25: …",
    ],
    ["a text that begins with it", { goal: "    goal: #41 first" }, '8:11: … "#41 first"'],
  ])("is a problem at its place: %s", async (_what, changes, shown) => {
    const [place = "", meant = ""] = shown.split("…");
    const help = meant === "" ? "" : `, did you mean \`${meant.trim()}\`?`;
    expect(await problems(workflow(changes))).toEqual([`f:${place}${CUT}${help}`]);
  });

  it("is one among commands only where the comment has no blank: there comments are usual", async () => {
    const refused = async (text: string) => !(await parseYamlDocument(text, "config.yaml", 1000)).ok;
    expect(await refused("command: uwf-exec -- grep #41 notes\n")).toBe(true);
    expect(await refused("command: uwf-claude --model x # the fast one\n")).toBe(false);
    expect(await refused("default: claude #mine\n")).toBe(false);
  });
});
