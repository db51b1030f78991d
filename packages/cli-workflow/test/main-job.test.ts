import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Doc, EXAMPLES, REAL_MOCK, RUNTIMES, sandbox } from "./support/uwf.js";

const JOBS = ["solve-issue", "analyze-topic", "develop"] as const;

const CASES = JOBS.flatMap((name) => RUNTIMES.map((runtime) => [name, runtime] as const));

describe.each(CASES)("examples/%s on %s", (name, runtime) => {
  const scenario = join(EXAMPLES, `${name}.scenario.yaml`);
  const agent = `'${REAL_MOCK}' --scenario '${scenario}'`;

  it("is put without a warning, started, and stepped to its end by the mock", async () => {
    const box = sandbox(runtime);
    const put = await box.json(["workflow", "put", join(EXAMPLES, `${name}.yaml`)]);
    expect(put).toEqual({
      name,
      hash: expect.stringMatching(/^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/),
      previous: null,
    });
    const { thread, workflow } = await box.json(["thread", "start", name, "-p", "The task"]);
    expect(workflow).toBe(put.hash);
    const last = await box.json(["thread", "run", thread, "--agent", agent, "--max-steps", "30"]);
    expect(last).toEqual({ workflow, thread, head: expect.any(String), done: true, reason: "end" });

    const { steps } = await box.json(["thread", "steps", thread]);
    const { expect: roles } = parse(readFileSync(scenario, "utf8")) as { expect: string[] };
    expect(steps.slice(1).map((step: { role: string }) => step.role)).toEqual(roles);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "end" });
    expect(await box.json<readonly Doc[]>(["thread", "list"])).toEqual([]);
    expect(await box.json<readonly Doc[]>(["thread", "list", "--all"])).toEqual([
      { thread, workflow, head: last.head, done: true },
    ]);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
    expect((await box.uwf(["thread", "step", thread, "--agent", agent])).code).toBe(8);
  });
});

describe("the phases of examples/develop", () => {
  it("are texts of the store, which the coder reads by their hash", async () => {
    const box = sandbox();
    const agent = `'${REAL_MOCK}' --scenario '${join(EXAMPLES, "develop.scenario.yaml")}'`;
    await box.json(["workflow", "put", join(EXAMPLES, "develop.yaml")]);
    const { thread } = await box.json(["thread", "start", "develop", "-p", "Reports as CSV"]);
    await box.json(["thread", "step", thread, "--agent", agent]);
    const { head } = await box.json(["thread", "step", thread, "--agent", agent]);
    const { steps } = await box.json(["thread", "steps", thread]);
    const [, planner, coder] = steps;
    const phases = planner?.output.phases as readonly { readonly hash: string }[];
    const texts = await Promise.all(phases.map(({ hash }) => box.json(["cas", "get", hash])));
    expect(texts.map(({ payload }) => String(payload.text).split(" ")[0])).toEqual(["Add", "Wire"]);
    expect(coder?.output.completedPhase).toBe(phases[0]?.hash);
    const { hashes } = await box.json(["cas", "walk", head]);
    expect(hashes).toEqual(expect.arrayContaining(phases.map(({ hash }) => hash)));
  });
});

describe("every step", () => {
  it("is an immutable node from which walk reaches workflow, prompt, replies", async () => {
    const box = sandbox();
    const agent = `'${REAL_MOCK}' --scenario '${join(EXAMPLES, "analyze-topic.scenario.yaml")}'`;
    await box.json(["workflow", "put", join(EXAMPLES, "analyze-topic.yaml")]);
    const { thread, workflow } = await box.json([
      "thread",
      "start",
      "analyze-topic",
      "-p",
      "Why do runs die?",
    ]);
    const { head } = await box.json(["thread", "run", thread, "--agent", agent]);
    const { hashes } = await box.json(["cas", "walk", head]);
    expect(hashes).toContain(workflow);
    const texts: string[] = [];
    for (const hash of hashes) {
      const { payload } = await box.json(["cas", "get", hash]);
      for (const text of [payload.text, payload.prompt]) if (typeof text === "string") texts.push(text);
    }
    expect(texts.some((text) => text.includes("Why do runs die?"))).toBe(true);
    expect(texts.some((text) => text.startsWith("---\n"))).toBe(true);
  });
});

describe("a closed stdout", () => {
  it("is not an error", async () => {
    const box = sandbox();
    const uwf = join(import.meta.dirname, "../bin/uwf");
    await box.json(["workflow", "put", join(EXAMPLES, "solve-issue.yaml")]);
    const script = `"${uwf}" workflow show solve-issue | head -1; echo "\${PIPESTATUS[0]}"`;
    const env = { PATH: process.env.PATH ?? "", HOME: box.home, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root };
    const output = execFileSync("bash", ["-c", script], { env, encoding: "utf8" });
    expect(output).toBe("{\n0\n");
  });
});
