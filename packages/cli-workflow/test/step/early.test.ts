import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, RUNTIMES, sandbox } from "../support/uwf.js";
import { startTurns, TURNS } from "../support/workflows.js";

const SPY = resolve(import.meta.dirname, "../support/spawns.cjs");

const EXEC = resolve(import.meta.dirname, "../../../workflow-agent-exec/bin/uwf-exec");

/** One role, again and again. */
const AGAIN = `name: again
description: One role
roles:
  worker:
    description: works
    goal: Work
    capabilities: []
    procedure: ""
    output: ""
    meta: { type: object }
conditions:
  more:
    description: always
    expression: "true"
graph:
  $START:
    - { role: worker, condition: null }
  worker:
    - { role: worker, condition: more }
    - { role: $END, condition: null }
`;

const SCENARIO = `roles:
  maker:
    - reply: |
        ---
        text: Done
        ---
`;

describe.each(RUNTIMES)("an agent whose runtime starts before the decision, on %s", (runtime) => {
  function prepared() {
    const box = sandbox(runtime);
    const env = { UWF_MOCK_SCENARIO: box.write("scenario.yaml", SCENARIO) };
    const step = async (thread: string, ...options: readonly string[]) =>
      box.uwf(["thread", "step", thread, ...options], { env });
    return { box, step };
  }

  it("gives the step of any agent, by --agent, as default and by override", async () => {
    const { box, step } = prepared();
    for (const [options, config] of [
      [["--agent", `'${MOCK}'`], null],
      [[], `agents: { mock: { command: "${MOCK}" } }\ndefaultAgent: mock\n`],
      [
        [],
        `agents: { mock: { command: "${MOCK}" }, no: { command: "/no" } }\ndefaultAgent: no\nagentOverrides: { turns: { maker: mock } }\n`,
      ],
    ] as const) {
      const thread = await startTurns(box);
      if (config !== null) box.write(join(box.root, "config.yaml"), config);
      const ran = await step(thread, ...options);
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      expect(readdirSync(join(box.root, "runs", thread))).toEqual([]);
      const [, made] = (await box.json(["thread", "steps", thread])).steps;
      expect(made).toMatchObject({ role: "maker", output: { text: "Done" } });
    }
  });

  it("waits without a shell, with stdin as ever, and costs a long run no descriptors", async () => {
    const { box } = prepared();
    const lines = join(box.cwd, "lines");
    const look = box.write(
      "look.sh",
      `pid=$(cut -d' ' -f1 "$UNCAGED_WORKFLOW_STORAGE_ROOT"/runs/*/"$UWF_RUN"/pid)
comm=$(sed 's/^[^(]*(\\(.*\\)).*/\\1/' "$UNCAGED_WORKFLOW_STORAGE_ROOT"/runs/*/"$UWF_RUN"/pid)
uwf=$(sed 's/.*) [A-Z] \\([0-9]*\\) .*/\\1/' "/proc/$pid/stat")
echo "$comm $(readlink "/proc/$pid/fd/0") $(ls "/proc/$uwf/fd" | wc -l)" >> '${lines}'
`,
    );
    await box.json(["workflow", "put", box.write("again.yaml", AGAIN)]);
    const { thread } = await box.json(["thread", "start", "again", "-p", "Do it"]);
    const agent = `'${EXEC}' -- sh '${look}'`;
    const ran = await box.uwf(["thread", "run", thread, "--max-steps", "6", "--agent", agent]);
    expect(ran.stderr).not.toContain("error");
    const seen = readFileSync(lines, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    expect(seen).toHaveLength(6);
    for (const [comm, stdin] of seen) {
      expect(comm).not.toBe("sh");
      expect(stdin).toBe("/dev/null");
    }
    const counts = seen.map(([, , count]) => Number(count));
    expect(Math.max(...counts.slice(2))).toBeLessThanOrEqual(Math.max(...counts.slice(0, 2)));
  });

  it("runs nothing and leaves nothing when the thread turns out to be at its end", async () => {
    const { box, step } = prepared();
    const condition = `  over:\n    description: at once\n    expression: "true"`;
    const atOnce = TURNS.replace("conditions:", `conditions:\n${condition}`).replace(
      "$START:",
      "$START:\n    - { role: $END, condition: over }",
    );
    await box.json(["workflow", "put", box.write("turns.yaml", atOnce)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const ran = await step(thread, "--agent", `'${MOCK}'`);
    expect([ran.code, ran.stderr, JSON.parse(ran.stdout).done]).toEqual([0, "", true]);
    expect(existsSync(join(box.root, "runs", thread))).toBe(false);
  });

  it("runs nothing and leaves nothing when the decision fails", async () => {
    const { box } = prepared();
    const broken = TURNS.replace("condition: null }", "condition: fails }").replace(
      "conditions:",
      "conditions:\n  fails:\n    description: is no boolean\n    expression: '1 + 1'",
    );
    await box.json(["workflow", "put", box.write("turns.yaml", broken)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const spawns = box.write("spawns", "");
    const spy = { NODE_OPTIONS: `--require ${SPY}`, UWF_TEST_SPAWNS: spawns };
    const ran = await box.uwf(["thread", "step", thread, "--agent", `'${MOCK}'`], { env: spy });
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining("fails")]);
    expect(readdirSync(join(box.root, "runs", thread))).toEqual([]);
    // bun has a spawn of its own.
    const started = runtime === "bun" ? "" : `${JSON.stringify([MOCK, thread])}\n`;
    expect(readFileSync(spawns, "utf8")).toBe(started);
  });

  it("does without where the run's folder cannot be made, and says so as ever", async () => {
    const { box, step } = prepared();
    const thread = await startTurns(box);
    mkdirSync(join(box.root, "runs"), { recursive: true });
    box.write(join(box.root, "runs", thread), "a file");
    const ran = await step(thread, "--agent", `'${MOCK}'`);
    expect(ran).toMatchObject({ code: 74, stdout: "" });
    expect(ran.stderr).toContain(join(box.root, "runs", thread));
  });
});
