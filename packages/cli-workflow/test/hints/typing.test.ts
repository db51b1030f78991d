import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";

// What people type wrong, and what they read then: each sentence says what would be right.

const role = (name: string, more: string, meta = "{ type: object }"): string =>
  `  ${name}:
    description: ${name}
    goal: Work
    capabilities: []
    procedure: ""
    output: ""
${more}    meta: ${meta}
`;

/** Roles, each followed by the next. */
const workflow = (name: string, roles: Readonly<Record<string, string>>): string => {
  const names = Object.keys(roles);
  const edges = names.map(
    (each, at) => `  ${each}: [{ role: ${names[at + 1] ?? "$END"}, condition: null }]\n`,
  );
  return `name: ${name}
description: A few roles
roles:
${Object.values(roles).join("")}conditions: {}
graph:
  $START: [{ role: ${names[0]}, condition: null }]
${edges.join("")}`;
};

const child = (name: string): string =>
  workflow("parent", { asks: role("asks", `    agent: { workflow: ${name} }\n`) });

async function validated(box: Sandbox, ...words: readonly string[]): Promise<string> {
  const { stdout } = await box.uwf(["workflow", "validate", ...words, "--format", "text"]);
  return stdout;
}

describe("a role's agent", () => {
  it("that is nearly human is corrected", async () => {
    const box = sandbox();
    box.write("door.yaml", workflow("door", { guard: role("guard", "    agent: humam\n") }));
    expect(await validated(box, "door.yaml")).toContain('did you mean "human"?');
  });

  it("that is no workflow yet is a warning of validate and put, and an error with --strict", async () => {
    const box = sandbox();
    box.write("develop.yaml", workflow("develop", { coder: role("coder", "") }));
    await box.json(["workflow", "put", "develop.yaml"]);
    box.write("parent.yaml", child("devlop"));
    const shown = await validated(box, "parent.yaml");
    expect(shown).toContain(
      "parent.yaml:10:24: warning[unknown-workflow]: no registered or local workflow is called devlop",
    );
    expect(shown).toContain('did you mean "develop"?');
    expect((await box.uwf(["workflow", "validate", "--strict", "parent.yaml"])).code).toBe(4);
    expect((await box.uwf(["workflow", "put", "--strict", "parent.yaml"])).code).toBe(4);
    const put = await box.uwf(["workflow", "put", "parent.yaml"]);
    expect(put.code).toBe(0);
    expect(put.stderr).toContain("no registered or local workflow is called devlop");
  });

  it("may be registered, local, itself, a hash, or among the files of the same command", async () => {
    const box = sandbox();
    box.write("develop.yaml", workflow("develop", { coder: role("coder", "") }));
    box.write("parent.yaml", child("develop"));
    expect(await validated(box, "parent.yaml", "develop.yaml")).not.toContain("unknown-workflow");
    box.write(".workflows/local.yaml", workflow("local", { coder: role("coder", "") }));
    for (const name of ["local", "parent", "0123456789ABC"]) {
      box.write("parent.yaml", child(name));
      expect(await validated(box, "parent.yaml")).toBe("parent.yaml: valid, workflow parent\n");
    }
  });
});

describe("a meta that requires what is not among its properties", () => {
  const META = "{ type: object, required: [verdict], properties: { note: { type: string } } }";

  it.each([
    ["of an agent", ""],
    ["of a child workflow", "    agent: { workflow: ask }\n"],
    ["of a person", "    agent: human\n"],
  ])("is a warning for the role %s, also where no property is near", async (_what, agent) => {
    const box = sandbox();
    box.write("ask.yaml", workflow("ask", { asks: role("asks", agent, META) }));
    expect(await validated(box, "ask.yaml")).toContain(
      "warning[unknown-field]: the meta of asks requires verdict, which is not among its properties",
    );
  });
});

describe("a scenario in the place of its workflow", () => {
  it.each([["put"], ["validate"]])("is recognized by workflow %s", async (command) => {
    const box = sandbox();
    box.write("door.scenario.yaml", "roles:\n  guard:\n    - reply: Hello\n");
    const { code, stdout, stderr } = await box.uwf(["workflow", command, "door.scenario.yaml"]);
    expect(code).toBe(4);
    expect(stdout + stderr).toContain("it is a scenario, not a workflow");
    expect(stdout + stderr).toContain(
      "`uwf workflow test door.scenario.yaml` plays it; its workflow is door.yaml",
    );
  });
});

describe("a hint says what is right", () => {
  const started = async (box: Sandbox): Promise<string> => {
    const META =
      "{ type: object, required: [ok], properties: { ok: { type: boolean }, many: { type: integer } } }";
    box.write("ask.yaml", workflow("ask", { asks: role("asks", "    agent: human\n", META) }));
    const { thread } = await box.json(["thread", "start", "ask.yaml", "-p", "Is it open?"]);
    return thread;
  };

  it("where a field is not of its type", async () => {
    const box = sandbox();
    const thread = await started(box);
    const { code, stderr } = await box.uwf([
      "thread",
      "answer",
      thread,
      "--field",
      "ok=maybe",
      "--field",
      "many=few",
    ]);
    expect(code).toBe(4);
    expect(stderr).toContain('/ok: must be true or false, found "maybe"');
    expect(stderr).toContain('/many: must be a whole number, found "few"');
  });

  it("where a role does not exist, a text is empty, or a folder is not there", async () => {
    const box = sandbox();
    const thread = await started(box);
    const hints: readonly (readonly [readonly string[], string])[] = [
      [["thread", "run", thread, "--until", "ask"], "hint: its roles are asks"],
      [["thread", "start", "ask.yaml", "-p", " "], "hint: write some text; see `uwf help thread start`"],
      [["run", "ask.yaml", "-p", " "], "hint: write some text; see `uwf help run`"],
      [["run", "ask.yaml"], "hint: see `uwf help run`"],
      [["thread", "step-details", "7K1Y"], "the hashes of its steps are in `uwf thread steps 7K1Y`"],
      [["thread", "start", "ask.yaml", "-p", "x", "--cwd", "gone"], "hint: give a folder that is there"],
      [["prompt", "ask.yaml", "aks"], "hint: its roles are asks"],
    ];
    for (const [words, hint] of hints) expect((await box.uwf(words)).stderr).toContain(hint);
  });

  it.each([
    [["ls"], `unknown command 'ls', did you mean "thread list"?\nhint: see \`uwf help thread list\``],
    [["status"], `did you mean "thread list"?`],
    [["thread", "ls"], `unknown command 'ls', did you mean "list"?`],
    [["thread", "stop", "latest"], `unknown command 'stop', did you mean "pause"?`],
    [["thread", "stpe", "latest"], `unknown command 'stpe', did you mean "step"?`],
    [["workflow", "delete", "x"], "unknown command 'delete'"],
    [
      ["thread", "answer", "latest", "approved=false"],
      `unexpected argument 'approved=false', did you mean "--field approved=false"?`,
    ],
    [["thread", "answer", "latest", "yes"], "too many arguments for 'answer'"],
    [
      ["thread", "start", "one", "-p", "fix", "it"],
      'put a text with spaces in quotes, as in --prompt="fix the bug"',
    ],
    [["thread", "show", "lastest"], '"lastest" is not a thread id, did you mean "latest"?'],
    [["thread", "kill", "Latest"], 'did you mean "latest"?'],
  ])("for the words of other programs: %j", async (words, said) => {
    const ran = await sandbox().uwf(words);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it("where an id is too short, ambiguous or none", async () => {
    const box = sandbox();
    const thread = await started(box);
    const other = (await box.json(["thread", "start", "ask.yaml", "-p", "And now?"])).thread;
    // No id begins so: an end that is too short.
    const short = await box.uwf(["thread", "kill", `Z${thread.slice(-2)}`]);
    expect(short.stderr).toContain("of which the last four are enough");
    const prefix = await box.uwf(["thread", "kill", thread.slice(0, 3)]);
    expect(prefix.stderr).toMatch(/that no other has, as in [0-9A-Z]{4}$/m);
    const ambiguous = await box.uwf(["thread", "show", thread.slice(0, 4)]);
    expect(ambiguous.stderr).toMatch(/the last four of an id are enough, as in [0-9A-Z]{4}$/m);
    expect([thread, other].map((id) => id.slice(-4))).toContain(/as in (\w+)$/m.exec(ambiguous.stderr)?.[1]);
    const none = await box.uwf(["thread", "show", "lates"]);
    expect(none.stderr).toMatch(
      /of which the last four are enough: .*; `latest` is the newest of this folder$/m,
    );
    const asJson = await box.uwf(["thread", "show", "latest", "--json"]);
    expect(asJson.stderr).toContain(`unknown option '--json', did you mean "--format json"?`);
  });
});

describe("an agent that is not on PATH", () => {
  it("does not print all of a long PATH", async () => {
    const box = sandbox();
    box.write("work.yaml", workflow("work", { works: role("works", "") }));
    const { thread } = await box.json(["thread", "start", "work.yaml", "-p", "Work"]);
    const PATH = [dirname(process.execPath), "/usr/bin", "/bin", "/a", "/b", "/c"].join(":");
    const { stderr } = await box.uwf(["thread", "step", thread, "--agent", "uwf-nobody"], { env: { PATH } });
    expect(stderr).toMatch(/was not found on PATH \(\/[^:]+:\/[^:]+:\/[^:]+ and \d more folders\)/);
  });

  it("is looked for in every folder that doctor names", async () => {
    const box = sandbox();
    box.write(join(box.root, "config.yaml"), "agents: { gone: { command: uwf-nobody } }\n");
    const PATH = [dirname(process.execPath), "/usr/bin", "/bin", "/a", "/b", "/c"].join(":");
    const { stdout } = await box.uwf(["doctor"], { env: { PATH } });
    expect(stdout).toMatch(/agent gone: uwf-nobody was not found on PATH \(.*\/a:\/b:\/c\)/);
  });

  it("is a warning of setup, at once", async () => {
    const box = sandbox();
    const PATH = [dirname(REAL_MOCK), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
    const ran = await box.uwf(["setup", "--agent", "uwf-mok"], { env: { PATH } });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("warning: agent uwf-mok was not found on PATH");
    expect(ran.stderr).toContain('did you mean "uwf-mock"?');
    const found = await box.uwf(["setup", "--agent", "uwf-mock"], { env: { PATH } });
    expect(found.stderr).not.toContain("warning");
  });
});

describe("doctor", () => {
  const findings = async (box: Sandbox, agents: string, programs: Readonly<Record<string, string>>) => {
    const bin = join(box.home, "bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    box.write(join(box.root, "config.yaml"), agents);
    const PATH = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
    const { stdout } = await box.uwf(["doctor"], { env: { PATH } });
    const all: readonly { readonly status: string; readonly message: string }[] = JSON.parse(stdout).findings;
    return all
      .filter(({ message }) => /uwf-/.test(message))
      .map(({ status, message }) => `${status}: ${message}`);
  };

  const LACKS = `if [ "$1" = --check ]; then echo '{"installed": false}'; exit 1; fi; echo 1.0`;

  it("warns of an agent whose program is not installed", async () => {
    const found = await findings(sandbox(), "agents: { claude: { command: uwf-claude } }\n", {
      "uwf-claude": LACKS,
    });
    expect(found.join("\n")).toMatch(
      /^warning: agent claude is .*, but the program that it drives, claude, is not/m,
    );
  });

  it("warns of an agent that needs a command and has none, and does not propose one", async () => {
    const programs = { "uwf-exec": "echo 1.0", "uwf-acp": "echo 1.0", "uwf-pi": LACKS };
    const found = await findings(sandbox(), "agents: { shell: { command: uwf-exec } }\n", programs);
    expect(found.join("\n")).toMatch(
      /^warning: agent shell is .*, but it needs a command in args and has none/m,
    );
    expect(found.join("\n")).not.toContain("uwf-acp");
    expect(found.join("\n")).toMatch(
      /^ok: .*uwf-pi is on PATH but not configured.*; the program that it drives is not/m,
    );
    const withArgs = "agents: { shell: { command: uwf-exec, args: [./work.sh] } }\n";
    expect((await findings(sandbox(), withArgs, programs)).join("\n")).toMatch(/^ok: agent shell is /m);
  });
});
