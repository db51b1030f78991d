import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS } from "../support/workflows.js";

// What people who did not know uwf have typed, and what it says to them.

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

type Typed = readonly [args: readonly string[], code: number, message: string, hint: string];

const TYPED: readonly Typed[] = [
  [["workflow", "validate", "."], 3, "it is a folder", "name a file in it"],
  [["workflow", "test", "."], 3, "it is a folder", "name a file in it"],
  [["workflow", "put", ".workflows"], 3, "it is a folder", "name a file in it"],
  [["thread", "fork", "latest"], 2, '"latest" is not a hash', "`uwf thread steps latest`"],
  [["thread", "step-details", "latest"], 2, '"latest" is not a hash', "`uwf thread steps latest`"],
  [["thread", "rm", "latest"], 2, "rm takes no `latest`", "`uwf thread list --all`"],
  [
    ["workflow", "history", "local"],
    3,
    "there is no workflow local",
    "`uwf workflow put .workflows/local.yaml`",
  ],
  [
    ["workflow", "rollback", "local"],
    3,
    "there is no workflow local",
    "`uwf workflow put .workflows/local.yaml`",
  ],
  [["workflow", "graph", "local", "-o", "x.png"], 2, "no format has the ending .png", ".svg"],
  [["report", "-o", "."], 4, "it is a folder with other files in it", "name an empty folder"],
  [["ui", "--port", "99999"], 2, "It must be a whole number from 0 to 65535.", "uwf help ui"],
  [
    ["thread", "list", "--tree", "--held"],
    2,
    "'--tree' cannot be used with option '--held'",
    "uwf help thread list",
  ],
  [
    ["run", "local", "-p", "x", "--until", "chekcer"],
    4,
    'did you mean "checker"?',
    "its roles are maker, checker",
  ],
  [
    ["run", "local", "-p", "x", "--agent", "chekcer=a"],
    4,
    'did you mean "checker"?',
    "its roles are maker, checker",
  ],
];

describe("a user who types a wrong line", () => {
  it.each(TYPED)("uwf %j prints what is wrong and what to do", async (args, code, message, hint) => {
    await startTurns(box);
    box.write(".workflows/local.yaml", TURNS.replace("name: turns", "name: local"));
    const before = box.snapshot();
    const ran = await box.uwf(args);
    expect(ran).toMatchObject({ code, stdout: "" });
    const [said = "", todo = ""] = ran.stderr.split("\nhint: ");
    expect(said).toContain(message);
    expect(todo).toContain(hint);
    expect(box.snapshot()).toEqual(before);
  });

  it("validate with a scenario names the command that plays it", async () => {
    box.write("turns.scenario.yaml", "roles: {}\n");
    const { code, stdout } = await box.uwf([
      "workflow",
      "validate",
      "turns.scenario.yaml",
      "--format",
      "text",
    ]);
    expect(code).toBe(4);
    expect(stdout).toContain(
      "it is a scenario, not a workflow: `uwf workflow test turns.scenario.yaml` plays it",
    );
    expect(stdout.match(/turns\.scenario\.yaml: error/g)).toHaveLength(1);
  });

  it("a scenario whose replies are all wrong gives ten problems and a count", async () => {
    box.write("turns.yaml", TURNS);
    const replies = Array.from({ length: 1000 }, () => "a text");
    box.write("turns.scenario.yaml", JSON.stringify({ roles: { maker: replies } }));
    const { code, stderr } = await box.uwf(["workflow", "test", "turns.yaml"]);
    expect(code).toBe(4);
    expect(stderr.match(/must be a map/g)).toHaveLength(10);
    expect(stderr).toContain("and 990 more");
  });

  it("a scenario without its workflow, or with a misspelt role, gives the likely name", async () => {
    const { uwf } = box;
    box.write("door.scenario.yaml", "roles: {}\n");
    const alone = await uwf(["workflow", "test", "door.scenario.yaml"]);
    expect(alone.code).toBe(3);
    expect(alone.stderr).toContain(
      "door.yaml: it does not exist, and door.scenario.yaml would be a scenario of it",
    );
    box.write("turns.yaml", TURNS);
    box.write("turns.scenario.yaml", "expect: [makre]\nroles: { maker: [{ reply: x }] }\n");
    const misspelt = await uwf(["workflow", "test", "turns.yaml"]);
    expect(misspelt.stderr).toContain('expect names makre, which is not in roles, did you mean "maker"?');
  });

  it("a missing agent gives the PATH that was searched", async () => {
    const thread = await startTurns(box);
    const { stderr } = await box.uwf(["thread", "step", thread, "--agent", "uwf-nowhere"]);
    expect(stderr).toContain(`was not found on PATH (${box.environment.PATH.split(":")[0]}`);
  });

  it("an empty list says so, and how to fill it", async () => {
    const say = async (...args: readonly string[]) => (await box.uwf([...args, "--format", "text"])).stdout;
    expect(await say("log")).toBe("nothing has happened yet, as far as was asked\n");
    expect(await say("workflow", "list")).toContain("`uwf init` writes one to begin with");
    expect((await box.uwf(["log"])).stdout).toBe("[]\n");
  });

  it("graph to a file without an ending, or with --format, gets it", async () => {
    box.write(".workflows/local.yaml", TURNS.replace("name: turns", "name: local"));
    mkdirSync(join(box.cwd, "out"));
    for (const words of [
      ["-o", "out/graph"],
      ["-o", "out/graph.png", "--format", "dot"],
      ["-o", "out/g.txt"],
    ])
      expect((await box.uwf(["workflow", "graph", "local", ...words])).code).toBe(0);
  });
});
