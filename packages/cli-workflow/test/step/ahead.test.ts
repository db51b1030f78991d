import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { spyAgent } from "../support/spy-agent.js";
import { MOCK, RUNTIMES, type Runtime, sandbox } from "../support/uwf.js";
import { startTurns, TURNS } from "../support/workflows.js";

const SPAWNS = resolve(import.meta.dirname, "../support/spawns.cjs");

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
  checker:
    - reply: |
        ---
        approved: true
        ---
`;

function world(runtime: Runtime) {
  const box = sandbox(runtime);
  const spy = spyAgent(box);
  const env = { UWF_MOCK_SCENARIO: box.write("scenario.yaml", SCENARIO) };
  const step = (thread: string, ...options: readonly string[]) =>
    box.uwf(["thread", "step", thread, ...options], { env });
  const configure = (text: string): string => box.write(join(box.root, "config.yaml"), text);
  const forecast = join(box.root, "forecast.json");
  return { box, spy, env, step, configure, forecast };
}

describe.each(RUNTIMES)("an agent that starts ahead of the step, on %s", (runtime) => {
  it("gives the same steps, each with one run; the first one leaves the forecast", async () => {
    const { box, spy, step, configure, forecast } = world(runtime);
    configure(`agents: { spy: { command: "${spy.command}" } }\ndefaultAgent: spy\n`);
    const thread = await startTurns(box);
    expect(existsSync(forecast)).toBe(false);
    expect(await step(thread)).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(forecast, "utf8"))).toContain(spy.command);
    expect(await step(thread)).toMatchObject({ code: 0, stderr: "" });
    const { steps } = await box.json(["thread", "steps", thread]);
    const outputs = steps.slice(1).map(({ output }) => output);
    expect(outputs).toEqual([{ text: "Done" }, { approved: true }]);
    const runs = ["maker", "checker"].flatMap((role) => [`loaded ${thread}`, `ran ${thread} ${role}`]);
    expect(spy.lines()).toEqual(runs);
    expect(readdirSync(join(box.root, "runs"))).toEqual([]);
  });

  it("is another one when config.yaml has changed since: nothing of the first runs", async () => {
    const { box, spy, step, configure } = world(runtime);
    configure(`agents: { a: { command: "${spy.command}" } }\ndefaultAgent: a\n`);
    const thread = await startTurns(box);
    expect(await step(thread)).toMatchObject({ code: 0, stderr: "" });
    configure(`agents: { a: { command: "${MOCK}" } }\ndefaultAgent: a\n`);
    expect(await step(thread)).toMatchObject({ code: 0, stderr: "" });
    expect(spy.lines().filter((line) => line.startsWith("ran"))).toEqual([`ran ${thread} maker`]);
  });

  it("gets the variables that config.yaml says now", async () => {
    const { box, configure } = world(runtime);
    const names = join(box.cwd, "names");
    const show = box.write(
      "show.sh",
      `env | sed 's/=.*//' | sort | tr '\\n' ' ' >> '${names}'; echo >> '${names}'\n`,
    );
    const agent = (env: string) =>
      configure(
        `agents: { a: { command: "${EXEC}", args: ["--", "sh", "${show}"]${env} } }\ndefaultAgent: a\n`,
      );
    await box.json(["workflow", "put", box.write("again.yaml", AGAIN)]);
    const { thread } = await box.json(["thread", "start", "again", "-p", "Do it"]);
    for (const env of ["", "", ', env: ["OTHER"]', ', env: ["OTHER"]', ""]) {
      agent(env);
      const ran = await box.uwf(["thread", "step", thread], { env: { SECRET: "1", OTHER: "2" } });
      expect(ran).toMatchObject({ code: 0, stderr: "" });
    }
    const seen = readFileSync(names, "utf8").trim().split("\n");
    expect(seen.map((line) => [/ SECRET /.test(line), / OTHER /.test(line)])).toEqual([
      [true, true],
      [true, true],
      [false, true],
      [false, true],
      [true, true],
    ]);
    for (const line of seen) expect(line).toMatch(/UWF_HEAD .*UWF_RUN /);
    for (const line of seen) expect(line).not.toContain("UWF_LAUNCH");
  });

  it("has no forecast where the role decides, or the agent is none of ours", async () => {
    const { box, spy, step, configure, forecast } = world(runtime);
    const thread = await startTurns(box);
    expect(await step(thread, "--agent", `'${spy.command}'`)).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(forecast)).toBe(true);
    const agents = `agents: { spy: { command: "${spy.command}" } }`;
    configure(`${agents}\ndefaultAgent: spy\nagentOverrides: { turns: { checker: spy } }\n`);
    expect(await step(thread)).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(forecast)).toBe(false);
    expect(spy.lines().filter((line) => line.startsWith("ran"))).toHaveLength(2);
    const other = await startTurns(box);
    const agent = box.write("agent.sh", `#!/bin/sh\nexec '${MOCK}' "$@"\n`);
    expect(await step(other, "--agent", `sh '${agent}'`)).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(forecast)).toBe(false);
  });

  it("has no forecast that holds a key", async () => {
    const { box, spy, step, configure, forecast } = world(runtime);
    box.write(join(box.root, ".env"), "FAST_KEY=0123456789abcdef\n");
    configure(
      `providers: { fast: { baseUrl: "http://127.0.0.1:9", apiKeyEnv: FAST_KEY } }
agents: { spy: { command: "${spy.command}" } }
defaultAgent: spy
`,
    );
    const thread = await startTurns(box);
    expect(await step(thread)).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(forecast, "utf8")).at(-1)).toEqual(["FAST_KEY"]);
    const agent = `'${spy.command}' 0123456789abcdef`;
    expect((await step(thread, "--agent", agent)).code).toBe(6);
    expect(existsSync(forecast)).toBe(false);
  });

  it("runs nothing and leaves nothing when the thread turns out to be at its end", async () => {
    const { box, spy, step } = world(runtime);
    const condition = `  over:\n    description: at once\n    expression: "true"`;
    const atOnce = TURNS.replace("conditions:", `conditions:\n${condition}`).replace(
      "$START:",
      "$START:\n    - { role: $END, condition: over }",
    );
    await step(await startTurns(box), "--agent", `'${spy.command}'`);
    rmSync(spy.file);
    await box.json(["workflow", "put", box.write("turns.yaml", atOnce)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const ran = await step(thread, "--agent", `'${spy.command}'`);
    expect([ran.code, ran.stderr, JSON.parse(ran.stdout).done]).toEqual([0, "", true]);
    expect(existsSync(join(box.root, "runs", thread))).toBe(false);
    await spy.gone();
    expect(spy.lines().filter((line) => line.startsWith("ran"))).toEqual([]);
  });

  it("runs nothing and leaves nothing when the decision fails", async () => {
    const { box, spy, step, env } = world(runtime);
    await step(await startTurns(box), "--agent", `'${spy.command}'`);
    rmSync(spy.file);
    const broken = TURNS.replace("condition: null }", "condition: fails }").replace(
      "conditions:",
      "conditions:\n  fails:\n    description: is no boolean\n    expression: '1 + 1'",
    );
    await box.json(["workflow", "put", box.write("turns.yaml", broken)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const spawns = box.write("spawns", "");
    const watched = { ...env, NODE_OPTIONS: `--require ${SPAWNS}`, UWF_TEST_SPAWNS: spawns };
    const ran = await box.uwf(["thread", "step", thread, "--agent", `'${spy.command}'`], { env: watched });
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining("fails")]);
    expect(existsSync(join(box.root, "runs", thread))).toBe(false);
    await spy.gone();
    expect(spy.lines().filter((line) => line.startsWith("ran"))).toEqual([]);
    // bun has a spawn of its own.
    const started = runtime === "bun" ? "" : `${JSON.stringify([spy.command, thread])}\n`;
    expect(readFileSync(spawns, "utf8")).toBe(started);
  });

  it("is not missed where the forecast is damaged, gone or not to be written", async () => {
    const { box, spy, forecast, env } = world(runtime);
    await box.json(["workflow", "put", box.write("again.yaml", AGAIN)]);
    const { thread } = await box.json(["thread", "start", "again", "-p", "Do it"]);
    const entry = "    - reply: |\n        ---\n        done: true\n        ---\n";
    const scenario = box.write("always.yaml", `roles:\n  worker:\n${entry.repeat(12)}`);
    const step = () =>
      box.uwf(["thread", "step", thread, "--agent", `'${spy.command}'`], {
        env: { ...env, UWF_MOCK_SCENARIO: scenario },
      });
    const change = (to: string) => () =>
      writeFileSync(forecast, readFileSync(forecast, "utf8").replace(spy.command, to));
    const spoil: readonly (() => void)[] = [
      () => {},
      () => writeFileSync(forecast, "["),
      change("/nowhere/uwf-mock"),
      change("/bin/false"),
      change("/a\\u0000b"),
      change(`/${"x".repeat(5000)}`),
      () => rmSync(forecast),
      () => {
        rmSync(forecast);
        symlinkSync("/nowhere", forecast);
      },
      () => {
        rmSync(forecast);
        mkdirSync(forecast);
      },
    ];
    for (const act of spoil) {
      act();
      expect(await step()).toMatchObject({ code: 0, stderr: "" });
    }
    expect(spy.lines().filter((line) => line.startsWith("ran"))).toHaveLength(spoil.length);
  });

  it("waits without a shell, with stdin as ever, and costs a long run no descriptors", async () => {
    const { box } = world(runtime);
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

  it("says as ever when the run's folder cannot be made", async () => {
    const { box, spy, step } = world(runtime);
    const thread = await startTurns(box);
    mkdirSync(join(box.root, "runs"), { recursive: true });
    box.write(join(box.root, "runs", thread), "a file");
    const ran = await step(thread, "--agent", `'${spy.command}'`);
    expect(ran).toMatchObject({ code: 74, stdout: "" });
    expect(ran.stderr).toContain(join(box.root, "runs", thread));
    await spy.gone();
    expect(spy.lines().filter((line) => line.startsWith("ran"))).toEqual([]);
  });
});
