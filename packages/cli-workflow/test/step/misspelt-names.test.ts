import { join } from "node:path";
import type { DoctorOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { agentRuns } from "../support/logs.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { TURNS, zoo } from "../support/workflows.js";

// Names of workflows and roles in config.yaml that nothing has.

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

const CONFIG = `agents:
  paid: { command: sh, args: [-c, '${zoo("valid").replaceAll("'", "")} "$@"', sh] }
  tests: { command: "true" }
defaultAgent: paid
`;

const register = (name = "turns") =>
  box.json(["workflow", "put", box.write(`${name}.yaml`, TURNS.replace("name: turns", `name: ${name}`))]);
const local = (name = "turns") =>
  box.write(`.workflows/${name}.yaml`, TURNS.replace("name: turns", `name: ${name}`));
const user = (text: string): string => box.write(join(box.root, "config.yaml"), CONFIG + text);
const project = (text: string): string => {
  user("");
  return box.write(".workflows/config.yaml", text);
};
const run = (workflow = "turns", ...words: readonly string[]) =>
  box.uwf(["run", workflow, "-p", "Do it", "--max-steps", "1", ...words]);
const examine = async (): Promise<DoctorOutput> => JSON.parse((await box.uwf(["doctor"])).stdout);

const MISSPELT: readonly (readonly [text: string, message: string])[] = [
  [
    "agentOverrides: { turns: { chekcer: tests } }\n",
    'agentOverrides: workflow turns has no role chekcer, did you mean "checker"?',
  ],
  [
    "agentOverrides: { turns: { Checker: tests } }\n",
    'agentOverrides: workflow turns has no role Checker, did you mean "checker"?',
  ],
  [
    "agentOverrides: { turns: { reviewer: tests } }\n",
    "agentOverrides: workflow turns has no role reviewer; its roles are maker, checker",
  ],
  [
    "agentOverrides: { tunrs: { checker: tests } }\n",
    'agentOverrides: no workflow tunrs is registered or local here, did you mean "turns"?',
  ],
  [
    "agentOverrides: { Turns: { checker: tests } }\n",
    'agentOverrides: no workflow Turns is registered or local here, did you mean "turns"?',
  ],
  [
    "limits: { turn: { maxSteps: 1 } }\n",
    'limits: no workflow turn is registered or local here, did you mean "turns"?',
  ],
];

describe("a name in config.yaml that is misspelt", () => {
  const whose = { "the user": user, "a project": project };
  const where = { registered: register, local };
  const cases = MISSPELT.flatMap(([text, message]) =>
    (["the user", "a project"] as const).map((owner) => ({ text, message, owner })),
  );

  it.each(cases)(
    "is an error where the workflow is used: $text of $owner",
    async ({ text, message, owner }) => {
      await where[owner === "the user" ? "registered" : "local"]();
      const file = whose[owner](text);
      const line = owner === "the user" ? 5 : 1;
      const ran = await run();
      expect(ran).toMatchObject({ code: 4, stdout: "" });
      expect(ran.stderr).toMatch(/^error\[INVALID_CONFIG\]/);
      expect(ran.stderr).toContain(`${file}:${line}:`);
      expect(ran.stderr).toContain(message);
      expect(await box.json(["thread", "list", "--all"])).toEqual([]);
      // Of a thread that exists, it stops the step.
      const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
      expect((await box.uwf(["thread", "step", thread])).code).toBe(4);
      expect(agentRuns(box)).toBe(0);
    },
  );

  it.each(cases)("is found by doctor and validate: $text of $owner", async ({ text, message, owner }) => {
    await where[owner === "the user" ? "local" : "registered"]();
    const file = whose[owner](text);
    expect((await examine()).findings).toContainEqual(
      expect.objectContaining({
        check: owner === "the user" ? "agents" : "project",
        status: "error",
        message: expect.stringContaining(message),
        fix: `correct ${text.split(":")[0]} in ${file}`,
      }),
    );
    const given = owner === "the user" ? "turns" : "turns.yaml";
    const validated = await box.uwf(["workflow", "validate", given, "--format", "text"]);
    expect(validated.code).toBe(0);
    expect(validated.stdout).toContain(message.split(", did")[0] ?? "");
    expect((await box.uwf(["workflow", "validate", given, "--strict"])).code).toBe(4);
  });
});

describe("a name in config.yaml that only this project lacks", () => {
  it.each([
    ["another workflow, which is not near", "agentOverrides: { solve-issue: { developer: tests } }\n"],
    [
      "a near one beside the workflow's own",
      "agentOverrides: { turns: { maker: paid }, turn: { x: tests } }\n",
    ],
    ["limits for every workflow", "limits: { default: { maxSteps: 9 } }\n"],
  ])("stops nothing: %s", async (_what, text) => {
    await register();
    user(text);
    expect((await run()).code).toBe(9);
  });

  it("stops nothing: a near one that is registered, local or was run in another folder", async () => {
    user("agentOverrides: { turn: { maker: paid } }\n");
    await register();
    expect((await run()).code).toBe(4);
    const elsewhere = box.write("elsewhere/.workflows/turn.yaml", TURNS.replace("name: turns", "name: turn"));
    await box.json(["thread", "start", elsewhere, "-p", "Do it"]);
    expect((await run()).code).toBe(9);
  });

  it("stops nothing: a role that the newest version has, in a thread of an older one", async () => {
    await register();
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const newer = TURNS.replaceAll("checker", "reviewer");
    await box.json(["workflow", "put", box.write("newer/turns.yaml", newer)]);
    user("agentOverrides: { turns: { reviewer: paid } }\n");
    expect((await box.uwf(["thread", "step", thread])).code).toBe(0);
  });
});

describe("a plain --agent in the place of an override", () => {
  const said = (stderr: string) => stderr.split("\n").filter((line) => line.startsWith("warning: --agent"));

  it("names on stderr what it displaced, once", async () => {
    await register();
    const file = user("agentOverrides: { turns: { checker: tests } }\n");
    const ran = await box.uwf(["run", "turns", "-p", "Do it", "--agent", zoo("valid")]);
    expect(ran.code).toBe(0);
    expect(said(ran.stderr)).toEqual([
      `warning: --agent plays checker in the place of tests, which ${file}:5:28 names; to keep it, add --agent checker=tests`,
    ]);
  });

  it("names the project's, too", async () => {
    await register();
    const file = project("agentOverrides: { turns: { maker: tests } }\n");
    expect(said((await run("turns", "--agent", zoo("valid"))).stderr)[0]).toContain(`${file}:1:28 names`);
  });

  it.each([
    ["the same alias is given", ["--agent", "paid"]],
    ["the role has its own", ["--agent", "paid", "--agent", "maker=tests"]],
    ["only the role is named", ["--agent", "maker=paid"]],
  ])("says nothing where %s", async (_what, words) => {
    await register();
    user("agentOverrides: { turns: { maker: paid } }\n");
    expect(said((await run("turns", ...words)).stderr)).toEqual([]);
  });
});
