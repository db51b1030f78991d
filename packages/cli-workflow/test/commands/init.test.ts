import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { InitOutput, WorkflowTestOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { startLanguageServer } from "../editor/language-server.js";
import { EXAMPLES, REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";

const packages = resolve(import.meta.dirname, "../../..");

/** The build makes it. */
const FOLDER = join(packages, "cli-workflow/dist/templates");

const TEMPLATES = readdirSync(FOLDER).flatMap((file) => /^([^.]+)\.yaml$/.exec(file)?.[1] ?? []);

/** The commands of the page, as a person pastes them. */
function commandsOf(box: Sandbox, page: string): readonly string[] {
  const text = readFileSync(join(box.cwd, page), "utf8");
  return [...text.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, command = ""]) => command);
}

function typed(box: Sandbox, command: string) {
  const bins = ["cli-workflow", "workflow-agent-mock"].map((name) => join(packages, name, "bin"));
  const env = { ...box.environment, PATH: [...bins, box.environment.PATH].join(":") };
  return spawnSync("bash", ["-ec", command], { cwd: box.cwd, env, encoding: "utf8" });
}

describe("uwf init", () => {
  it("writes a workflow, its scenarios and a page into .workflows/, and says what comes next", async () => {
    const box = sandbox();
    const made = await box.json<InitOutput>(["init", "door-sign"]);
    expect(made).toEqual({
      name: "door-sign",
      from: "write-note",
      files: [
        ".workflows/door-sign.yaml",
        ".workflows/door-sign.scenario.yaml",
        ".workflows/door-sign.given-up.scenario.yaml",
        ".workflows/door-sign.md",
        ".workflows/workflow.schema.json",
      ],
      next: "uwf workflow test door-sign",
    });
    expect(readdirSync(box.cwd)).toEqual([".workflows"]);
    expect(existsSync(box.root)).toBe(false);
    for (const file of made.files)
      expect(readFileSync(join(box.cwd, file), "utf8")).not.toMatch(/write-note/);
    const next = typed(box, made.next);
    expect([next.status, next.stderr]).toEqual([0, ""]);
    const [loop] = (JSON.parse(next.stdout) as WorkflowTestOutput).workflows;
    expect(loop?.coverage.transitions.every(({ taken }) => taken > 0)).toBe(true);
    expect((await box.uwf(["workflow", "put", "--strict", ".workflows/door-sign.yaml"])).code).toBe(0);
  });

  it("writes nothing through a .workflows that is a link", async () => {
    const box = sandbox();
    const elsewhere = join(box.cwd, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(box.cwd, ".workflows"));
    const ran = await box.uwf(["init", "door-sign"]);
    expect([ran.code, ran.stderr]).toEqual([
      74,
      expect.stringContaining(".workflows: it is a symbolic link"),
    ]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("shows a person what was written", async () => {
    const { stdout } = await sandbox().uwf(["init", "--format", "text"]);
    expect(stdout).toBe(
      "written  .workflows/project.yaml\n         .workflows/project.scenario.yaml\n         .workflows/project.given-up.scenario.yaml\n         .workflows/project.md\n         .workflows/workflow.schema.json\nnext: uwf workflow test project\n",
    );
  });

  it("writes the schema that the workflow names, with which an editor completes and checks it", async () => {
    const box = sandbox();
    await box.json<InitOutput>(["init", "door-sign"]);
    const folder = join(box.cwd, ".workflows");
    const text = readFileSync(join(folder, "door-sign.yaml"), "utf8");
    const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    const printed = await box.uwf(["workflow", "schema"]);
    expect(readFileSync(join(folder, schema), "utf8")).toBe(printed.stdout);
    const server = await startLanguageServer(folder);
    try {
      expect(await server.diagnose(text)).toEqual([]);
      const wrong = text.replace(/^description:/m, "descriptoin:");
      expect((await server.diagnose(wrong)).join("\n")).toContain("descriptoin");
    } finally {
      server.stop();
    }
  });

  it("leaves the schema of the folder as it is: other workflows use it too", async () => {
    const box = sandbox();
    const mine = box.write(".workflows/workflow.schema.json", "{}\n");
    const { files } = await box.json<InitOutput>(["init", "door-sign"]);
    expect(files.filter((file) => file.endsWith(".json"))).toEqual([]);
    expect(readFileSync(mine, "utf8")).toBe("{}\n");
  });

  it.each(TEMPLATES)("--from %s: the three commands of its page work as typed", async (from) => {
    const box = sandbox();
    const { files } = await box.json<InitOutput>(["init", "own-flow", "--from", from]);
    const commands = commandsOf(box, files.find((file) => file.endsWith(".md")) ?? "");
    expect(commands).toHaveLength(3);
    const mock = `${REAL_MOCK} --scenario ${join(box.cwd, ".workflows/own-flow.scenario.yaml")}`;
    if (["review-each", "ship-issue"].includes(from)) await box.json(["setup", "--agent", mock]);
    const codes = commands.map((command) => {
      const { status, stderr } = typed(box, command);
      return status === 0 ? 0 : `${status}: ${stderr}`;
    });
    // A person has to answer first.
    const held = expect.stringMatching(/^9: [\s\S]*uwf thread answer/);
    expect(codes).toEqual([0, 0, ["publish-note", "ship-issue"].includes(from) ? held : 0]);
  });

  it("is called like the current folder, if that can be a workflow's name", async () => {
    const box = sandbox();
    expect(await box.json<InitOutput>(["init"])).toMatchObject({ name: "project" });
    const folder = join(box.cwd, "My Project");
    mkdirSync(folder);
    const { code, stderr } = await box.uwf(["init"], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain("the current folder is called 'My Project'");
    expect(stderr).toContain("hint: give a name: `uwf init my-workflow`");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("never writes over a file: exit 4, and nothing is written", async () => {
    const box = sandbox();
    const mine = box.write(".workflows/project.given-up.scenario.yaml", "mine\n");
    const { code, stdout, stderr } = await box.uwf(["init"]);
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("error[FILE_EXISTS]: .workflows/project.given-up.scenario.yaml exists already");
    expect(stderr).toContain("hint: nothing was written; give another name: `uwf init <name>`");
    expect(readFileSync(mine, "utf8")).toBe("mine\n");
    expect(readdirSync(dirname(mine))).toEqual(["project.given-up.scenario.yaml"]);
    expect((await box.uwf(["init", "other"])).code).toBe(0);
  });

  const REFUSED: readonly (readonly [string, readonly string[], number, string])[] = [
    ["a name with capitals", ["init", "Loop"], 4, "the name Loop: a workflow's name has lower-case letters"],
    ["a path", ["init", "../x"], 4, "the name ../x"],
    ["an empty name", ["init", ""], 4, "the name ''"],
    ["a template that is none", ["init", "x", "--from", "solve-isue"], 2, 'did you mean "solve-issue"?'],
    ["a template that is a path", ["init", "x", "--from", "../../package"], 2, "there is no template"],
    ["two names", ["init", "x", "y"], 2, "too many arguments"],
  ];

  it.each(REFUSED)("refuses %s", async (_what, words, code, sentence) => {
    const box = sandbox();
    const ran = await box.uwf(words);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(sentence);
    expect(readdirSync(box.cwd)).toEqual([]);
  });

  it("reports a folder that cannot be written", async () => {
    const box = sandbox();
    box.write(".workflows", "a file\n");
    expect((await box.uwf(["init"])).code).toBe(74);
  });

  it("writes the workflows that it starts beside it, and leaves those that are there", async () => {
    const box = sandbox();
    const { files } = await box.json<InitOutput>(["init", "ours", "--from", "ship-issue"]);
    expect(files).toContain(".workflows/develop.yaml");
    expect(files).toContain(".workflows/develop.scenario.yaml");
    const again = await box.json<InitOutput>(["init", "theirs", "--from", "ship-issue"]);
    expect(again.files.filter((file) => file.includes("develop."))).toEqual([]);
  });

  it("lists every template in its help", async () => {
    const { stdout } = await sandbox().uwf(["init", "--help"]);
    for (const name of TEMPLATES) expect(stdout).toMatch(new RegExp(`^  ${name} {2,}\\S`, "m"));
  });
});

describe("the templates", () => {
  it("are all examples", () => {
    const examples = readdirSync(EXAMPLES).filter((file) => file.endsWith(".yaml"));
    expect(readdirSync(FOLDER)).toEqual(examples);
    for (const file of examples) {
      expect(readFileSync(join(FOLDER, file), "utf8")).toBe(readFileSync(join(EXAMPLES, file), "utf8"));
    }
  });
});
