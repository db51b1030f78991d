import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PROBLEMS } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import type { WorkflowValidateOutput } from "../../src/commands/workflow/validate.js";
import { EXAMPLES, sandbox } from "../support/uwf.js";
import { TURNS } from "../support/workflows.js";

const UWF = resolve(import.meta.dirname, "../../bin/uwf");
const SCRIPT = "/usr/bin/script";

/** Two mistakes: a key and a role. */
const WRONG = TURNS.replace("goal: Make it", "goals: Make it").replace(
  "role: checker, condition",
  "role: cheker, condition",
);

const validate = ["workflow", "validate"];

describe("workflow validate", () => {
  it("says of a valid file what put would store", async () => {
    const box = sandbox();
    const file = box.write("turns.yaml", TURNS);
    const found = await box.json<WorkflowValidateOutput>([...validate, "turns.yaml"]);
    const { hash } = await box.json(["workflow", "put", file]);
    expect(found).toEqual({
      valid: true,
      files: [{ file: "turns.yaml", valid: true, name: "turns", hash, problems: [] }],
    });
  });

  it("finds everything that put finds, in every file, and exits with 4", async () => {
    const box = sandbox();
    box.write("turns.yaml", TURNS);
    box.write("wrong.yaml", WRONG);
    const ran = await box.uwf([...validate, "turns.yaml", "wrong.yaml"]);
    expect(ran).toMatchObject({ code: 4, stderr: "" });
    const found: WorkflowValidateOutput = JSON.parse(ran.stdout);
    expect(found.valid).toBe(false);
    expect(found.files.map(({ valid }) => valid)).toEqual([true, false]);
    const put = await box.uwf(["workflow", "put", "wrong.yaml", "--error-format", "json"]);
    expect(found.files[1]?.problems).toEqual(JSON.parse(put.stderr).data.problems);
  });

  it("accepts every example", async () => {
    const box = sandbox();
    const names = [
      "analyze-topic",
      "solve-issue",
      "develop",
      "publish-note",
      "ship-issue",
      "review-each",
      "review-one",
    ];
    const files = names.map((name) => join(EXAMPLES, `${name}.yaml`));
    expect(await box.json([...validate, "--strict", ...files])).toMatchObject({ valid: true });
  });

  it("leaves out scenarios and the settings of the project, as put does, unless there is nothing else", async () => {
    const box = sandbox();
    await box.json(["init", "note"]);
    box.write(".workflows/config.yaml", "maxDepth: 2\n");
    box.write(".workflows/turns.yaml", TURNS);
    const all = ["config", "note", "note.given-up.scenario", "note.scenario", "turns"].map(
      (name) => `.workflows/${name}.yaml`,
    );
    const found = await box.json<WorkflowValidateOutput>([...validate, ...all]);
    expect(found.files.map(({ name }) => name)).toEqual(["note", "turns"]);
    await box.json(["workflow", "put", ...all]);
    const named = await box.json<WorkflowValidateOutput>([...validate, "note"]);
    expect(named.files.map(({ file }) => file)).toEqual([".workflows/note.yaml"]);
    expect((await box.uwf([...validate, ".workflows/note.scenario.yaml"])).code).toBe(4);
  });

  it("stores nothing, and needs no storage root", async () => {
    const box = sandbox();
    box.write("turns.yaml", TURNS);
    await box.json([...validate, "turns.yaml"]);
    expect(existsSync(box.root)).toBe(false);
    const none = { UNCAGED_WORKFLOW_STORAGE_ROOT: "", WORKFLOW_STORAGE_ROOT: "", HOME: "" };
    expect(await box.json([...validate, "turns.yaml"], { env: none })).toMatchObject({ valid: true });
    const file = { UNCAGED_WORKFLOW_STORAGE_ROOT: box.write("a-file", "") };
    expect(await box.json([...validate, "turns.yaml"], { env: file })).toMatchObject({ valid: true });
    mkdirSync(box.root);
    chmodSync(box.root, 0o555);
    expect(await box.json([...validate, "turns.yaml"])).toMatchObject({ valid: true });
    expect(box.snapshot()).toEqual({});
  });

  it("reads a workflow from stdin, which has no name to compare", async () => {
    const box = sandbox();
    const good = await box.json<WorkflowValidateOutput>([...validate, "-", "--strict"], { stdin: TURNS });
    expect(good.files).toMatchObject([{ file: "(stdin)", valid: true, problems: [] }]);
    const bad = await box.uwf([...validate, "-"], { stdin: WRONG });
    expect(bad.code).toBe(4);
  });

  it("shows warnings of a valid file, and refuses them with --strict", async () => {
    const box = sandbox();
    box.write("other.yaml", TURNS);
    const found = await box.json<WorkflowValidateOutput>([...validate, "other.yaml"]);
    expect(found.files).toMatchObject([
      { valid: true, problems: [{ severity: "warning", code: "file-name" }] },
    ]);
    const strict = await box.uwf([...validate, "other.yaml", "--strict"]);
    expect(strict.code).toBe(4);
    expect(JSON.parse(strict.stdout).files).toMatchObject([
      { valid: false, problems: [{ severity: "error", code: "file-name" }] },
    ]);
  });

  it("exits with TOO_LARGE, as put does, where there is more than a workflow may have", async () => {
    const box = sandbox();
    const large = box.write("large.yaml", `${TURNS}# ${"x".repeat(2 * 1024 * 1024)}\n`);
    for (const command of ["validate", "put", "graph", "test"]) {
      const ran = await box.uwf(["workflow", command, "large.yaml"]);
      expect(ran).toMatchObject({ code: 4, stdout: "" });
      expect(ran.stderr).toMatch(/^error\[TOO_LARGE\]: .*large.yaml is \d+ bytes, the limit is 1048576\n/);
    }
    const piped = await box.uwf([...validate, "-"], { stdin: readFileSync(large) });
    expect(piped.stderr).toMatch(/^error\[TOO_LARGE\]: the workflow on stdin is larger than 1048576 bytes/);
  });

  it("takes a file that is no text for one with a mistake", async () => {
    const box = sandbox();
    box.write("binary.yaml", new Uint8Array([0xff, 0xfe, 0x41]));
    const ran = await box.uwf([...validate, "binary.yaml"]);
    expect(ran.code).toBe(4);
    expect(JSON.parse(ran.stdout).files).toMatchObject([
      { problems: [{ line: null, message: expect.stringContaining("UTF-8") }] },
    ]);
  });

  it("exits with 3 where there is no such file", async () => {
    const box = sandbox();
    for (const file of ["nowhere.yaml", ""]) {
      const ran = await box.uwf([...validate, file]);
      expect(ran).toMatchObject({ code: 3, stdout: "" });
      expect(ran.stderr).toContain("error[FILE_NOT_FOUND]");
    }
  });
});

describe("workflow validate --format", () => {
  it("text shows each problem in its lines, and a verdict per file", async () => {
    const box = sandbox();
    box.write("turns.yaml", TURNS);
    box.write("wrong.yaml", WRONG);
    const ran = await box.uwf([...validate, "wrong.yaml", "turns.yaml", "--format", "text"]);
    expect(ran).toMatchObject({ code: 4, stderr: "" });
    expect(ran.stdout).toContain('wrong.yaml:6:5: error[unknown-key]: unknown key "goals"\n');
    expect(ran.stdout).toContain('  6 |     goals: Make it\n    |     ^^^^^ did you mean "goal"?\n');
    expect(ran.stdout).toContain("wrong.yaml: not valid: 2 errors\n");
    expect(ran.stdout).toContain("turns.yaml: valid, workflow turns\n");
  });

  it("github annotates the lines of a change, and says nothing about a good file", async () => {
    const box = sandbox();
    box.write("turns.yaml", TURNS);
    box.write("50%,a:b.yaml", WRONG.replace("description: makes", "description: 5"));
    expect((await box.uwf([...validate, "turns.yaml", "--format", "github"])).stdout).toBe("");
    const ran = await box.uwf([...validate, join(box.cwd, "50%,a:b.yaml"), "--format", "github"]);
    expect(ran).toMatchObject({ code: 4, stderr: "" });
    const lines = ran.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toBe(
      '::error file=50%25%2Ca%3Ab.yaml,line=6,col=5,title=unknown-key::unknown key "goals", did you mean "goal"?',
    );
    box.write("other.yaml", TURNS);
    const warned = await box.uwf([...validate, "other.yaml", "--format=github"]);
    expect(warned.stdout).toMatch(/^::warning file=other\.yaml,line=1,col=\d+,title=file-name::/);
  });

  it("sarif is one log whose rules are the codes", async () => {
    const box = sandbox();
    box.write("a folder/wrong.yaml", WRONG);
    box.write("binary.yaml", new Uint8Array([0xff]));
    const ran = await box.uwf([...validate, "a folder/wrong.yaml", "binary.yaml", "--format", "sarif"]);
    expect(ran).toMatchObject({ code: 4, stderr: "" });
    const log = JSON.parse(ran.stdout);
    expect(log).toMatchObject({
      version: "2.1.0",
      runs: [{ columnKind: "utf16CodeUnits", tool: { driver: { name: "uwf" } } }],
    });
    const [run] = log.runs;
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(Object.keys(PROBLEMS));
    expect(run.results).toHaveLength(3);
    const { ruleId, ruleIndex, level, message, locations } = run.results[0];
    expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect({ ruleId, level, message }).toEqual({
      ruleId: "unknown-key",
      level: "error",
      message: { text: 'unknown key "goals", did you mean "goal"?' },
    });
    expect(locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: "a%20folder/wrong.yaml" },
          region: { startLine: 6, startColumn: 5, endColumn: 10 },
        },
      },
    ]);
    expect(run.results[2].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "binary.yaml" },
    });
  });

  it("sarif and github belong to this command only", async () => {
    const box = sandbox();
    const ran = await box.uwf(["workflow", "list", "--format", "sarif"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("workflow put on a terminal", () => {
  function onTerminal(args: string): { readonly status: number | null; readonly stdout: string } {
    const box = sandbox();
    box.write("wrong.yaml", WRONG);
    box.write("other.yaml", TURNS);
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: box.home,
      SHELL: "/bin/sh",
      UWF_RUNTIME: "node",
      NO_COLOR: "1",
      UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
    };
    const ran = spawnSync(SCRIPT, ["-qec", `'${UWF}' ${args}`, "/dev/null"], {
      cwd: box.cwd,
      env,
      encoding: "utf8",
    });
    return { status: ran.status, stdout: ran.stdout.replaceAll("\r", "") };
  }

  it.skipIf(!existsSync(SCRIPT))("shows its problems as validate does, once", () => {
    const put = onTerminal("workflow put wrong.yaml");
    expect(put.status).toBe(4);
    expect(put.stdout).toContain('  6 |     goals: Make it\n    |     ^^^^^ did you mean "goal"?\n');
    expect(put.stdout.match(/unknown key/g)).toHaveLength(1);
    expect(put.stdout).toMatch(/nothing was stored\n$/);
    const validated = onTerminal("workflow validate wrong.yaml");
    const frames = (text: string) => text.slice(0, text.lastIndexOf("\n\n"));
    expect(frames(put.stdout)).toBe(frames(validated.stdout));
  });

  it.skipIf(!existsSync(SCRIPT))("shows the warnings of what it stores", () => {
    const put = onTerminal("workflow put other.yaml");
    expect(put.status).toBe(0);
    expect(put.stdout).toContain("warning[file-name]");
    expect(put.stdout).toContain("  1 | name: turns\n");
  });

  it.skipIf(!existsSync(SCRIPT))("keeps the one object of --error-format json", () => {
    const put = onTerminal("workflow put wrong.yaml --error-format json");
    expect(put.status).toBe(4);
    expect(JSON.parse(put.stdout)).toMatchObject({ code: "INVALID_WORKFLOW" });
  });
});
