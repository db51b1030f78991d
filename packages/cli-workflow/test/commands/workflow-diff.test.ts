import { describe, expect, it } from "vitest";
import type { WorkflowDiffOutput } from "../../src/commands/workflow/diff.js";
import { MOCK, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

const diff = ["workflow", "diff"];

/** `turns` with one change of every kind. */
const CHANGED = TURNS.replace("description: Two roles in turn", "description: Two roles, in turn")
  .replace("goal: Make it", "goal: Make it well")
  .replace("procedure: Make the text.", "procedure: |\n      Make the text.\n      Read it again.")
  .replace("capabilities: [making]", "capabilities: [making, reading]")
  .replace("text: { type: string }", "text: { type: string, minLength: 1 }")
  .replace("    description: checks", "    agent: human\n    description: checks")
  .replaceAll("rejected", "refused")
  .replace("{ role: $END, condition: null }", "{ role: $FAIL, condition: null }")
  .replace(
    "conditions:\n",
    `  helper:
    description: helps
    goal: Help
    capabilities: []
    procedure: ""
    output: ""
    meta: { type: object }
conditions:
`,
  )
  .concat("  helper:\n    - { role: $END, condition: null }\n");

describe("workflow diff", () => {
  it("says what was added, removed and changed: roles, texts, schemas, conditions, transitions", async () => {
    const box = sandbox();
    box.write("a.yaml", TURNS);
    box.write("b.yaml", CHANGED);
    const found = await box.json<WorkflowDiffOutput>([...diff, "a.yaml", "b.yaml"]);
    expect(found).toMatchObject({
      same: false,
      name: null,
      description: { from: "Two roles in turn", to: "Two roles, in turn" },
      roles: {
        added: ["helper"],
        removed: [],
        changed: [
          {
            name: "maker",
            texts: {
              goal: { from: "Make it", to: "Make it well" },
              procedure: { from: "Make the text.", to: "Make the text.\nRead it again.\n" },
            },
            capabilities: { from: ["making"], to: ["making", "reading"] },
            agent: null,
            meta: [{ path: "/properties/text/minLength", kind: "added", from: null, to: 1 }],
          },
          { name: "checker", texts: {}, agent: { from: null, to: { human: {} } }, meta: [] },
        ],
      },
      conditions: { added: ["refused"], removed: ["rejected"], changed: [] },
      graph: {
        added: ["helper"],
        removed: [],
        changed: [
          {
            name: "checker",
            from: [{ condition: "rejected" }, { role: "$END" }],
            to: [{ condition: "refused" }, { role: "$FAIL" }],
          },
        ],
      },
      threads: { active: 0, movable: 0, refused: [] },
    });
    expect(box.snapshot()).toEqual({});
  });

  it("finds none between a file and what was stored of it, by name, hash and path", async () => {
    const box = sandbox();
    const { hash } = await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    for (const [a, b] of [
      ["turns", "./turns.yaml"],
      [hash, "turns"],
    ] as const) {
      const found = await box.json<WorkflowDiffOutput>([...diff, a, b]);
      expect(found).toMatchObject({
        same: true,
        description: null,
        roles: { added: [], removed: [], changed: [] },
        conditions: { added: [], removed: [], changed: [] },
        graph: { added: [], removed: [], changed: [] },
      });
    }
    const shown = await box.uwf([...diff, "turns", "./turns.yaml", "--format", "text"]);
    expect(shown.stdout).toBe(`turns ${hash}: no differences\n`);
  });

  it("says which active threads could go on, as fork --dry-run does, and why the others cannot", async () => {
    const box = sandbox();
    await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    const start = async () => (await box.json(["thread", "start", "turns", "-p", "x"])).thread;
    const [fresh, made] = [await start(), await start()];
    const scenario = box.write("s.json", '{"roles":{"maker":[{"reply":"---\\ntext: made\\n---\\n"}]}}');
    const { head } = await box.json([
      "thread",
      "step",
      made,
      "--agent",
      `'${MOCK}' --scenario '${scenario}'`,
    ]);
    const file = box.write(
      "b.yaml",
      TURNS.replace("text: { type: string }", "text: { type: string, minLength: 9 }"),
    );
    const { threads } = await box.json<WorkflowDiffOutput>([...diff, "turns", file]);
    const forked = await box.uwf([
      "thread",
      "fork",
      head,
      "--workflow",
      file,
      "--dry-run",
      "--error-format",
      "json",
    ]);
    const { code, message } = JSON.parse(forked.stderr.trim().split("\n").at(-1) ?? "");
    expect(threads).toEqual({
      active: 2,
      movable: 1,
      refused: [{ code, reason: message, count: 1, thread: made }],
    });
    const shown = await box.uwf([...diff, "turns", file, "--format", "text"]);
    expect(shown.stdout).toContain("1 of 2 active threads of the first can go on under the second\n");
    expect(shown.stdout).toContain(`1 cannot, first ${made}: `);
    expect((await box.json(["thread", "show", fresh])).done).toBe(false);
  });

  it("shows words and lines to a person, with signs where there is no colour", async () => {
    const box = sandbox();
    box.write("a.yaml", TURNS);
    box.write("b.yaml", CHANGED);
    const { stdout } = await box.uwf([...diff, "a.yaml", "b.yaml", "--format", "text"]);
    for (const line of [
      "description: Two roles",
      "  + helper",
      "      goal: Make it{+ well+}",
      "      + Read it again.",
      "      + reading",
      "      + meta/properties/text/minLength: 1",
      "  - rejected",
      "  + refused",
      "      - maker if rejected",
      "      + $FAIL",
    ])
      expect(stdout).toContain(line);
    const coloured = await box.uwf([...diff, "a.yaml", "b.yaml", "--format", "text", "--color", "always"]);
    expect(coloured.stdout).toContain("\u001b[32m");
    expect(coloured.stdout).not.toContain("{+");
  });

  it("exits with 3 for a workflow that is not there", async () => {
    const ran = await sandbox().uwf([...diff, "nowhere.yaml", "nothing"]);
    expect(ran).toMatchObject({ code: 3, stdout: "" });
  });
});
