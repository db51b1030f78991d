import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, RUNTIMES, sandbox } from "../support/uwf.js";
import { startTurns, TURNS } from "../support/workflows.js";

const SPY = resolve(import.meta.dirname, "../support/spawns.cjs");

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
