import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { entry, played, scenarioOf, textOf } from "../../../workflow-engine/test/play/support.js";
import { type Doc, EXAMPLES, MOCK, type Sandbox, sandbox } from "../support/uwf.js";

// What `workflow test` says of a scenario, and what `thread run` does with uwf-mock and the same scenario: the same path,
// the same outputs, the same end. A person's steps are answered with the scenario's replies; uwf-mock plays children.

type Real = {
  readonly steps: readonly { readonly role: string; readonly output: unknown }[];
  readonly end: string | null;
  /** Of the last `thread run`. */
  readonly code: number;
};

const HELD = 9;

async function real(box: Sandbox, workflow: string, scenario: string): Promise<Real> {
  const file = box.write("scenario.yaml", scenario);
  const put = await box.prepare(["workflow", "put", box.write("w.yaml", workflow)]);
  const { thread } = await box.prepare(["thread", "start", put.name, "-p", "The task"]);
  const { roles } = await scenarioOf(scenario);
  const mock = `'${MOCK}' --scenario '${file}'`;
  const children = [...workflow.matchAll(/^ {2}(\w+):\n(?: {4}.*\n)*? {4}agent: \{ workflow:/gm)];
  const agents = [mock, ...children.map(([, role]) => `${role}=${mock}`)].flatMap((text) => [
    "--agent",
    text,
  ]);
  const run = () => box.uwf(["thread", "run", thread, "--max-steps", "20", ...agents]);
  let ran = await run();
  for (let answers = 0; ran.code === HELD && ran.stderr.includes("WAITING_FOR_ANSWER"); answers += 1) {
    const show = ["thread", "answer", thread, "--show", "--format", "json"];
    const { role } = await box.json<{ readonly role: string }>(show);
    const entries = roles.get(role) ?? [];
    const { reply = "" } = entries[Math.min(answers, entries.length - 1)] ?? {};
    await box.json(["thread", "answer", thread, "-f", "-", "--by", "scenario"], { stdin: reply ?? "" });
    ran = await run();
  }
  const { steps } = await box.json<Doc>(["thread", "steps", thread]);
  const shown = await box.json<{ readonly reason?: string }>(["thread", "show", thread]);
  const ends: Readonly<Record<string, string>> = { end: "$END", failed: "$FAIL" };
  return {
    steps: steps.slice(1).map(({ role, output }) => ({ role, output })),
    end: ends[shown.reason ?? ""] ?? null,
    code: ran.code ?? 1,
  };
}

/** The scenarios beside the examples, with what they begin with. */
const BESIDE = readdirSync(EXAMPLES).filter((file) => file.endsWith(".scenario.yaml"));

describe("an example's scenario", () => {
  it.each(BESIDE)("%s goes the same way in a real thread", async (file) => {
    const workflow = textOf(join(EXAMPLES, `${basename(file).split(".")[0]}.yaml`));
    const scenario = textOf(join(EXAMPLES, file));
    const { steps, end, failure } = await played(workflow, scenario);
    expect(failure).toBeNull();
    const inThread = await real(sandbox(), workflow, scenario);
    expect({ steps, end }).toEqual({ steps: inThread.steps, end: inThread.end });
    expect(inThread.code).toBe(end === "$END" ? 0 : 10);
  });
});

/** One role, again and again until it says `ok: true`. */
const WORK = `name: work
description: Works until it is done
roles:
  worker:
    description: works
    goal: Work
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [ok]
      properties:
        ok: { type: boolean }
        note: { type: string, minLength: 2 }
        again: { type: [boolean, string] }
        plan: { type: string, format: cas_ref }
conditions:
  notDone:
    description: Not done
    expression: steps[-1].output.ok = false
  asked:
    description: It wants another try
    expression: steps[-1].output.again
graph:
  $START: [{ role: worker, condition: null }]
  worker:
    - { role: worker, condition: notDone }
    - { role: worker, condition: asked }
    - { role: $END, condition: null }
`;

/** Without the role's name, the entries are indented like blocks of text. */
function raw(...replies: readonly string[]): string {
  return `roles:\n  worker:\n${replies.map((reply) => `    - reply: ${JSON.stringify(reply)}\n`).join("")}`;
}

const DONE = "---\nok: true\nagain: false\n---\n";

const ODD: readonly (readonly [string, string])[] = [
  ["in a code fence", raw("```markdown\n---\nok: true\nagain: false\n---\nDone.\n```\n")],
  ["with prose before the header", raw(`I have done it.\n\n${DONE}Really.\n`)],
  ["with CRLF and a byte order mark", raw(`\ufeff${DONE.replaceAll("\n", "\r\n")}`)],
  ["with a field that meta does not have", raw("---\nok: true\nagain: false\nmood: fine\n---\n")],
  ["with a field of another type", raw(DONE, '---\nok: "yes"\n---\n')],
  ["without a required field", raw("---\nnote: done\n---\n")],
  ["with two headers and none at its beginning", raw(`Say\n\n${DONE}or\n\n${DONE}`)],
  ["without a header", raw("Done.\n")],
  ["with an anchor", raw("---\nok: &a true\nagain: *a\n---\n")],
  ["with a condition that gives no boolean", raw("---\nok: true\nagain: perhaps\n---\n")],
  ["with a condition that reads nothing", raw("---\nok: false\n---\n", "---\nok: true\n---\n")],
  [
    "that names a text",
    `texts: { plan: "First this." }\nroles:\n  worker:\n${entry("ok: true", "again: false", 'plan: "{{plan}}"')}`,
  ],
  ["that names a text that is not there", raw('---\nok: true\nagain: false\nplan: "{{plan}}"\n---\n')],
  ["that names a node that does not exist", raw("---\nok: true\nagain: false\nplan: 016K8DJZ2QPQ9\n---\n")],
  ["that names a file", raw("---\nok: true\nagain: false\nplan: ./plan.md\n---\n")],
  ["that names a file outside of its folder", raw("---\nok: true\nagain: false\nplan: ../plan.md\n---\n")],
  [
    "that is corrected in its session",
    session("sessionId: s-1", ["ok: maybe"], ["ok: true", "again: false"]),
  ],
  ["that is corrected without a session", session("delayMs: 0", ["ok: maybe"], ["ok: true", "again: false"])],
  ["whose correction is wrong too", session("sessionId: s-1", ["ok: maybe"], ["ok: no"])],
  [
    "that is corrected in the session of the last visit",
    `roles:\n  worker:\n${entry("ok: false")}      sessionId: s-1\n${corrected(["ok: 1"], ["ok: true", "again: false"])}`,
  ],
  [
    "that is corrected in a session that is lost",
    `roles:\n  worker:\n${entry("ok: false")}      sessionId: s-1\n${corrected(["ok: 1"], ["ok: true", "again: false"])}      sessionLost: true\n`,
  ],
  ["with noise before the hash", `${raw(DONE)}      stdoutNoise: loading\n      stderr: hm\n`],
  ["of an agent that exits with 3", `${raw(DONE)}      exitCode: 3\n`],
  ["in another order than expected", `expect: [worker, worker]\n${raw(DONE)}`],
];

function corrected(first: readonly string[], second: readonly string[]): string {
  const header = second.map((line) => `          ${line}\n`).join("");
  return `${entry(...first)}      continue:\n        - |\n          ---\n${header}          ---\n`;
}

function session(key: string, first: readonly string[], second: readonly string[]): string {
  return `roles:\n  worker:\n${corrected(first, second)}      ${key}\n`;
}

/** Exit codes of a real run by what the test says. */
const CODES: Readonly<Record<string, number>> = {
  "invalid-reply": 6,
  "failed-reply": 6,
  routing: 5,
};

describe("a reply", () => {
  it.each(ODD)("%s counts, or does not, as in a real thread", async (_what, scenario) => {
    const box = sandbox();
    box.write("plan.md", "The plan.\n");
    const { steps, end, failure } = await played(WORK, scenario, { folder: box.cwd });
    const inThread = await real(box, WORK, scenario);
    expect({ steps, end }).toEqual({ steps: inThread.steps, end: inThread.end });
    // uwf-mock does not see that a thread ends too early.
    expect(inThread.code).toBe(CODES[failure?.kind ?? ""] ?? 0);
  });
});

describe("the order of keys, which is not the reply's", () => {
  it.each([
    "$keys(steps[-1].output)[0] = 'ok'",
    '$string(steps[-1].output) = \'{"ok":true,"note":"done"}\'',
    "$spread(steps[-1].output)[1].note = 'done'",
    "steps[-1].output.*[0] = true",
    "$each(steps[-1].output, function($v, $k) { $k })[1] = 'note'",
    "$keys(steps[-1])[0] = 'role' and $keys(start)[0] = 'workflow'",
  ])("is one order in a test and in a thread: %s", async (expression) => {
    const workflow = WORK.replace("steps[-1].output.again", JSON.stringify(expression)).replace(
      "{ role: worker, condition: asked }",
      "{ role: $FAIL, condition: asked }",
    );
    const scenario = `end: $FAIL\n${raw("---\nnote: done\nok: true\n---\n")}`;
    expect(await played(workflow, scenario)).toMatchObject({ end: "$FAIL", failure: null });
    expect((await real(sandbox(), workflow, scenario)).end).toBe("$FAIL");
  });
});
