import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import type { WorkflowTestOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { entry, loopYaml } from "../../../workflow-engine/test/play/support.js";
import { EXAMPLES, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";

const WORK = `roles:\n  worker:\n${entry("note: done")}`;
const APPROVED = `${WORK}  checker:\n${entry("approved: true")}`;
const REJECTED = `${WORK}  checker:\n${entry("approved: false")}`;
const WRONG = `# Once more.\nexpect:\n  - worker\n  - checker\n  - worker\n${APPROVED}`;

/** The workflow `loop` with these scenarios, by the middle of their names. */
function withLoop(scenarios: Readonly<Record<string, string>>): Sandbox {
  const box = sandbox();
  box.write("loop.yaml", loopYaml());
  for (const [name, text] of Object.entries(scenarios)) box.write(`loop${name}.scenario.yaml`, text);
  return box;
}

async function tested(box: Sandbox, ...words: readonly string[]) {
  const ran = await box.uwf(["workflow", "test", ...words]);
  const value = ran.stdout === "" ? null : (JSON.parse(ran.stdout) as WorkflowTestOutput);
  return { ...ran, value, scenarios: value?.workflows.flatMap(({ scenarios }) => scenarios) ?? [] };
}

describe("uwf workflow test", () => {
  it.each(RUNTIMES)(
    "plays the scenarios beside a workflow and needs no storage root, on %s",
    async (runtime) => {
      const box = sandbox(runtime);
      box.write("flows/loop.yaml", loopYaml());
      box.write("flows/loop.scenario.yaml", APPROVED);
      box.write("flows/loop.hopeless.scenario.yaml", `end: $FAIL\n${REJECTED}`);
      box.write("flows/loop-two.scenario.yaml", "not: for loop\n");
      const { code, stderr, value } = await tested(box, "flows/loop.yaml");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(value).toMatchObject({ passed: 2, failed: 0 });
      expect(value?.workflows).toMatchObject([
        {
          file: "flows/loop.yaml",
          workflow: "loop",
          scenarios: [
            {
              file: "flows/loop.scenario.yaml",
              ok: true,
              path: ["worker", "checker"],
              end: "$END",
              durationMs: expect.any(Number),
              failure: null,
              written: [],
            },
            { file: "flows/loop.hopeless.scenario.yaml", ok: true, end: "$FAIL" },
          ],
          coverage: {
            transitions: [{ taken: 2 }, { taken: 4 }, { taken: 1 }, { taken: 2 }, { taken: 1 }],
            conditions: [
              { condition: "rejected", true: 2, false: 1 },
              { condition: "hopeless", true: 1, false: 3 },
            ],
          },
        },
      ]);
      expect(existsSync(box.root)).toBe(false);
    },
  );

  it("exits with 4 and the first wrong step, with its place in the scenario", async () => {
    const box = withLoop({ "": WRONG, ".right": APPROVED });
    const { code, stderr, value, scenarios } = await tested(box, "loop.yaml");
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error\[SCENARIOS_FAILED\]: 1 of 2 scenarios failed\nhint: /);
    expect(value).toMatchObject({ passed: 1, failed: 1 });
    expect(scenarios[0]?.failure).toMatchObject({
      kind: "wrong-role",
      step: 3,
      expected: "worker",
      got: "$END",
      line: 5,
      column: 5,
      after: { role: "checker", output: { approved: true } },
    });
    expect(scenarios[0]?.failure).not.toHaveProperty("place");
  });

  it("shows a person the path, the wrong step and the way out", async () => {
    const box = withLoop({ "": WRONG });
    const { code, stdout } = await box.uwf(["workflow", "test", "loop.yaml", "--format", "text"]);
    expect(code).toBe(4);
    expect(stdout).toContain("✗ loop.scenario.yaml  2 steps\n    $START → worker → checker → $END\n");
    expect(stdout).toContain(
      "step 3  loop.scenario.yaml:5:5\n    the thread ends at $END, expected worker as step 3",
    );
    expect(stdout).toContain("→ worker when rejected: false  steps[-1].output.approved = false");
  });

  it("takes a scenario for its workflow, and a name for the one in .workflows/", async () => {
    const box = withLoop({ "": APPROVED, ".wrong": WRONG });
    const one = await tested(box, "loop.wrong.scenario.yaml");
    expect(one.scenarios.map(({ file }) => file)).toEqual(["loop.wrong.scenario.yaml"]);
    const all = await tested(box, "loop.yaml", "loop.scenario.yaml", "loop.wrong.scenario.yaml", "loop.yaml");
    expect(all.scenarios.map(({ file }) => file)).toEqual(["loop.scenario.yaml", "loop.wrong.scenario.yaml"]);
    box.write(".workflows/loop.yaml", loopYaml());
    box.write(".workflows/loop.scenario.yaml", APPROVED);
    const local = await tested(box, "loop");
    expect(local.scenarios.map(({ file }) => file)).toEqual([".workflows/loop.scenario.yaml"]);
    box.write(".workflows/other/index.yaml", loopYaml().replace("name: loop", "name: other"));
    const index = box.write(".workflows/other/other.scenario.yaml", APPROVED);
    expect((await tested(box, index)).scenarios).toMatchObject([{ file: index, ok: true }]);
    expect((await tested(box, "other")).scenarios).toHaveLength(1);
    const other = await tested(box, "lop");
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('did you mean "loop"?')]);
  });

  it("plays the scenarios that are named, wherever they are", async () => {
    const box = withLoop({ "": WRONG });
    const one = box.write("elsewhere/one.yaml", APPROVED);
    const two = box.write("elsewhere/two.json", '{"roles":{"worker":[{"reply":"---\\nnote: no\\n---\\n"}]}}');
    const { code, scenarios } = await tested(box, "loop.yaml", "--scenario", one, "--scenario", two);
    expect(code).toBe(4);
    expect(scenarios.map(({ file, ok }) => [file, ok])).toEqual([
      [one, true],
      [two, false],
    ]);
    box.write("flow.yaml", loopYaml().replace("name: loop", "name: flow"));
    const both = await tested(box, "loop.yaml", "flow.yaml", "--scenario", one);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining("--scenario belongs to one workflow"),
    ]);
  });

  it("ends a scenario that goes round at --max-steps", async () => {
    const box = sandbox();
    box.write("loop.yaml", loopYaml().replace(">= 3", ">= 5000"));
    box.write("loop.scenario.yaml", REJECTED);
    const few = await tested(box, "loop.yaml", "--max-steps", "7");
    expect(few.scenarios[0]?.failure).toMatchObject({ kind: "too-long", step: 8 });
    const usual = await tested(box, "loop.yaml");
    expect(usual.scenarios[0]?.failure).toMatchObject({ kind: "too-long", step: 1001 });
    expect((await tested(box, "loop.yaml", "--max-steps", "0")).code).toBe(2);
  });

  it("writes the result for a CI system, also if a scenario failed", async () => {
    const box = withLoop({ "": WRONG, ".right": APPROVED });
    const { code } = await tested(box, "loop.yaml", "--junit", "report.xml");
    expect(code).toBe(4);
    const xml = readFileSync(join(box.cwd, "report.xml"), "utf8");
    expect(xml).toContain('<testsuites name="uwf workflow test" tests="2" failures="1"');
    expect(xml).toContain('<failure type="wrong-role"');
    expect((await tested(box, "loop.yaml", "--junit", "no/folder/report.xml")).code).toBe(74);
  });
});

describe("uwf workflow test --update", () => {
  it("writes a first scenario that passes", async () => {
    const box = withLoop({});
    const none = await tested(box, "loop.yaml");
    expect([none.code, none.stdout]).toEqual([3, ""]);
    expect(none.stderr).toContain("error[NO_SCENARIO]: workflow loop has no scenario");
    expect(none.stderr).toContain("hint: `uwf workflow test loop.yaml --update` writes one");
    const first = await tested(box, "loop.yaml", "--update");
    expect(first.code).toBe(0);
    expect(first.scenarios[0]?.written).toEqual(["expect", "roles.worker", "roles.checker"]);
    const again = await tested(box, "loop.yaml");
    expect(again.scenarios).toMatchObject([{ ok: true, path: ["worker", "checker"], written: [] }]);
    const text = readFileSync(join(box.cwd, "loop.scenario.yaml"), "utf8");
    expect(parse(text)).toMatchObject({ expect: ["worker", "checker"] });
  });

  it.each([
    ["only says what is expected", "# Mine.\nexpect: [worker, checker]\n"],
    ["has a key for replies and none below it", "expect: [worker, checker]\nroles:\n"],
    ["is empty", ""],
    ["has nothing but a comment", "# Mine."],
    ["has Windows line ends", "prompt: now\r\nexpect: [worker, checker]\r\n"],
  ])("starts from a scenario that %s", async (_what, own) => {
    const box = withLoop({ "": own });
    expect((await tested(box, "loop.yaml")).code).not.toBe(0);
    expect(await tested(box, "loop.yaml", "--update")).toMatchObject({ code: 0, stderr: "" });
    const again = await tested(box, "loop.yaml");
    expect(again.scenarios).toMatchObject([{ ok: true, path: ["worker", "checker"] }]);
    const text = readFileSync(join(box.cwd, "loop.scenario.yaml"), "utf8");
    expect(parse(text)).toMatchObject({ expect: ["worker", "checker"] });
    for (const line of own.split("\n").filter((each) => !each.startsWith("roles:")))
      expect(text).toContain(line);
  });

  it("writes the scenario that is named, if it is not there", async () => {
    const box = withLoop({ "": APPROVED });
    const named = await tested(box, "loop.yaml", "--scenario", "other.scenario.yaml", "--update");
    expect([named.code, named.scenarios[0]?.file]).toEqual([0, "other.scenario.yaml"]);
    expect(parse(readFileSync(join(box.cwd, "other.scenario.yaml"), "utf8"))).toHaveProperty("roles.worker");
    expect((await tested(box, "loop.yaml", "--scenario", "third.scenario.yaml")).code).not.toBe(0);
  });

  it("still refuses a file that is not a scenario", async () => {
    const box = withLoop({ "": "- a list\n" });
    expect((await tested(box, "loop.yaml", "--update")).code).not.toBe(0);
    expect(readFileSync(join(box.cwd, "loop.scenario.yaml"), "utf8")).toBe("- a list\n");
  });

  it("adds what is missing, and changes nothing that is there", async () => {
    const own = `# Mine.\n${WORK}# The end.\n`;
    const box = withLoop({ "": own, ".hopeless": REJECTED });
    const { code, scenarios } = await tested(box, "loop.yaml", "--update");
    expect(code).toBe(0);
    expect(scenarios.map(({ written }) => written)).toEqual([
      ["expect", "roles.checker"],
      ["expect", "end"],
    ]);
    const text = readFileSync(join(box.cwd, "loop.scenario.yaml"), "utf8");
    for (const line of own.split("\n")) expect(text).toContain(line);
    const { mtimeMs, ino } = statSync(join(box.cwd, "loop.scenario.yaml"));
    expect(
      (await tested(box, "loop.yaml", "--update")).scenarios.every(({ written }) => written.length === 0),
    ).toBe(true);
    expect(statSync(join(box.cwd, "loop.scenario.yaml"))).toMatchObject({ mtimeMs, ino });
  });

  it("never makes a wrong scenario right", async () => {
    const box = withLoop({ "": WRONG });
    expect((await tested(box, "loop.yaml", "--update")).code).toBe(4);
    expect(readFileSync(join(box.cwd, "loop.scenario.yaml"), "utf8")).toBe(WRONG);
  });

  it("writes into no symbolic link: a stranger's project could have it lead anywhere", async () => {
    const box = withLoop({ ".hopeless": REJECTED });
    const target = box.write("elsewhere/shared.yaml", APPROVED);
    symlinkSync(target, join(box.cwd, "loop.scenario.yaml"));
    const file = await tested(box, "loop.yaml", "--update");
    expect([file.code, file.stderr]).toEqual([
      74,
      expect.stringContaining("loop.scenario.yaml: it is a symbolic link"),
    ]);
    expect(readFileSync(target, "utf8")).toBe(APPROVED);
    expect(readFileSync(join(box.cwd, "loop.hopeless.scenario.yaml"), "utf8")).toBe(REJECTED);
  });

  it("writes through no .workflows that is a symbolic link", async () => {
    const box = sandbox();
    box.write("elsewhere/loop.yaml", loopYaml());
    symlinkSync(join(box.cwd, "elsewhere"), join(box.cwd, ".workflows"));
    const ran = await tested(box, ".workflows/loop.yaml", "--update");
    expect([ran.code, ran.stderr]).toEqual([
      74,
      expect.stringContaining(".workflows: it is a symbolic link"),
    ]);
    expect(existsSync(join(box.cwd, "elsewhere/loop.scenario.yaml"))).toBe(false);
  });

  it("makes replies that every kind of meta accepts", async () => {
    const box = sandbox();
    for (const name of ["develop", "review-each", "ship-issue", "supervised"]) {
      const file = box.write(`${name}.yaml`, readFileSync(join(EXAMPLES, `${name}.yaml`)));
      const { scenarios } = await tested(box, file, "--update", "--max-steps", "30");
      // A made-up reply may lead round for ever; it is a valid one all the same.
      expect(["too-long", undefined]).toContain(scenarios[0]?.failure?.kind);
      expect(scenarios[0]?.written.length).toBeGreaterThan(0);
    }
  });
});

describe("what cannot be tested", () => {
  const WRONG_INPUT: readonly (readonly [string, (box: Sandbox) => readonly string[], number, string])[] = [
    ["a workflow that is not valid", (box) => [box.write("bad.yaml", "name: bad\n")], 4, "INVALID_WORKFLOW"],
    ["a file that is not there", () => ["nowhere.yaml"], 3, "FILE_NOT_FOUND"],
    ["a folder", (box) => [`${box.cwd}/`], 3, "FILE_NOT_FOUND"],
    ["an empty word", () => [""], 3, "WORKFLOW_NOT_FOUND"],
    ["a scenario without a workflow", (box) => [box.write("x.scenario.yaml", APPROVED)], 3, "FILE_NOT_FOUND"],
    ["a scenario that is not there", () => ["loop.yaml", "--scenario", "no.yaml"], 3, "FILE_NOT_FOUND"],
    [
      "a scenario that is empty",
      (box) => ["loop.yaml", "--scenario", box.write("e", "")],
      4,
      "INVALID_INPUT",
    ],
    [
      "a scenario with a typing mistake",
      (box) => ["loop.yaml", "--scenario", box.write("t", "rolls: {}")],
      4,
      "INVALID_INPUT",
    ],
    [
      "a scenario that is no YAML",
      (box) => ["loop.yaml", "--scenario", box.write("y", "roles: [")],
      4,
      "INVALID_INPUT",
    ],
    [
      "a scenario that is not UTF-8",
      (box) => ["loop.yaml", "--scenario", box.write("u", new Uint8Array([0xff, 0xfe, 0x41]))],
      4,
      "INVALID_INPUT",
    ],
    ["nothing", () => [], 2, "USAGE"],
  ];

  it.each(WRONG_INPUT)("%s", async (_what, words, code, fault) => {
    const box = withLoop({ "": APPROVED });
    const ran = await box.uwf(["workflow", "test", ...words(box)]);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: "" });
    expect(ran.stderr).toContain(`error[${fault}]`);
    expect(ran.stderr.split("error[")).toHaveLength(2);
  });
});

describe("the scenarios of examples/", () => {
  it("pass together, and cover every transition and every condition", async () => {
    const box = sandbox();
    const script = `'${resolve(import.meta.dirname, "../../bin/uwf")}' workflow test examples/*.yaml`;
    const ran = await box.uwf(["workflow", "test"], {
      through: ["/bin/sh", "-c", `exec ${script}`],
      cwd: resolve(EXAMPLES, ".."),
    });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const { workflows } = JSON.parse(ran.stdout) as WorkflowTestOutput;
    expect(workflows.length).toBeGreaterThan(8);
    for (const { workflow, coverage } of workflows) {
      const { transitions, conditions } = coverage;
      const untaken = transitions.filter(({ taken }) => taken === 0);
      const oneSided = conditions.filter((each) => each.true === 0 || each.false === 0);
      expect({ workflow, untaken, oneSided }).toEqual({ workflow, untaken: [], oneSided: [] });
    }
    expect(existsSync(box.root)).toBe(false);
  });
});

describe("what a person types after uwf workflow test", () => {
  const next = async (box: Sandbox, ...words: readonly string[]): Promise<string> => {
    const { stdout } = await box.uwf(["workflow", "test", ...words, "--format", "text"]);
    return /^next: (.*)$/m.exec(stdout)?.[1] ?? "";
  };

  it("runs a workflow that passes: its file, or its name if it lies in .workflows/", async () => {
    const box = withLoop({ "": APPROVED });
    expect(await next(box, "loop.yaml")).toBe('uwf run loop.yaml -p "<task>"');
    box.write(".workflows/loop.yaml", loopYaml());
    box.write(".workflows/loop.scenario.yaml", APPROVED);
    expect(await next(box, "loop")).toBe('uwf run loop -p "<task>"');
  });

  it("tests again what fails or was written, with --update where only replies are missing", async () => {
    const box = withLoop({ "": WRONG });
    expect(await next(box, "loop.yaml")).toBe("uwf workflow test loop.yaml");
    box.write("loop.scenario.yaml", WORK);
    expect(await next(box, "loop.yaml")).toBe("uwf workflow test loop.yaml --update");
    expect(await next(box, "loop.yaml", "--update")).toBe("uwf workflow test loop.yaml");
    expect(await next(box, "loop.yaml")).toBe('uwf run loop.yaml -p "<task>"');
  });

  it("is nothing where several workflows pass", async () => {
    const box = withLoop({ "": APPROVED });
    box.write("flows/loop.yaml", loopYaml());
    box.write("flows/loop.scenario.yaml", APPROVED);
    expect(await next(box, "loop.yaml", "flows/loop.yaml")).toBe("");
    box.write("flows/loop.scenario.yaml", WRONG);
    expect(await next(box, "loop.yaml", "flows/loop.yaml")).toBe("uwf workflow test flows/loop.yaml");
  });
});
