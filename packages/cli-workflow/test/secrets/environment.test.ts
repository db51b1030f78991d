import { resolve } from "node:path";
import { expect, it } from "vitest";
import { lines, makeCli } from "../../../workflow-agent-cli/test/helpers.js";
import { logLines } from "../support/logs.js";
import { RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { filesWithKeys } from "./support.js";

// Keys of which neither config.yaml nor the storage root's .env says anything.

const KEYS = {
  // What Claude Code reads for keys, and a short one.
  ANTHROPIC_CUSTOM_HEADERS: "x-key: 0a1b2c",
  ANTHROPIC_API_KEY: "sk-ant-1",
  GITHUB_TOKEN: "ghp_9z8y",
  ACME_DEPLOY_TOKEN: 'acme/"deploy"/42',
};

const OF_PROJECT = "elephants-17-in-a-row";

const ALL = [...Object.values(KEYS), OF_PROJECT];

const SPELLINGS = ALL.flatMap((key) => [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
  Buffer.from(key).toString("base64").replace(/=*$/, "").slice(0, -2),
]);

/** The keys in several spellings. */
const SAID = ALL.map(
  (key) =>
    `${JSON.stringify({ key })} ?key=${encodeURIComponent(key)} ${Buffer.from(key).toString("base64")}`,
).join("\n");

const holdsKey = (text: string): boolean => SPELLINGS.some((spelling) => text.includes(spelling));

function claudeSaying(box: Sandbox, text: string, code: number): string {
  const [use, answer] = [
    { type: "tool_use", id: "t", name: "Bash", input: { command: `echo ${SAID}` } },
    { type: "tool_result", tool_use_id: "t", content: SAID },
  ];
  const stdout = lines(
    { type: "system", session_id: "s", model: "m" },
    { type: "assistant", message: { id: "a", content: [use] } },
    { type: "user", message: { content: [answer] } },
    {
      type: "result",
      subtype: code === 0 ? "success" : "error",
      is_error: code !== 0,
      result: text,
      session_id: "s",
    },
  );
  return makeCli(box.cwd, "claude", [{ stdout: `noise ${SAID}\n${stdout}`, stderr: SAID, code }]).bin;
}

const header = `---\ntext: |\n${SAID.replace(/^/gm, "  ")}\n---\n`;

it.each(
  RUNTIMES.flatMap(
    (runtime) =>
      [
        [runtime, "succeeds", `${header}${SAID}`, 0, 0],
        [runtime, "fails", `401: ${SAID}`, 1, 6],
      ] as const,
  ),
)(
  "on %s, keys in the environment and the working folder's .env reach nothing when an agent %s",
  async (runtime, _what, text, code, exit) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    box.write(".env", `APP=my-shop\nDB_PASSWORD=${OF_PROJECT} # of staging\n`);
    const agent = resolve(import.meta.dirname, "../../../workflow-agent-cli/bin/uwf-claude");
    const PATH = `${claudeSaying(box, text, code)}:${box.environment.PATH}`;
    const ran = await box.uwf(["thread", "step", thread, "--agent", agent], { env: { ...KEYS, PATH } });
    expect(ran.code).toBe(exit);
    const read = await box.uwf(["thread", "read", thread, "--quota", "100000"], { env: { ...KEYS, PATH } });
    for (const shown of [ran.stdout, ran.stderr, read.stdout, JSON.stringify(logLines(box))])
      expect(SPELLINGS.filter((spelling) => shown.includes(spelling))).toEqual([]);
    expect(filesWithKeys(box.root, holdsKey)).toEqual([]);
    for (const name of [...Object.keys(KEYS), "DB_PASSWORD"])
      expect(ran.stderr + read.stdout).toContain(`[redacted:${name}]`);
  },
);

it("a .env of the working folder is not loaded", async () => {
  const box = sandbox();
  const thread = await startTurns(box);
  box.write(".env", "DB_PASSWORD=elephants-17\n");
  const agent = `sh -c 'test -z "$DB_PASSWORD" && exit 3'`;
  const ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
  expect(ran.stderr).toContain("exited with 3");
});

const VERDICT = `name: verdict
description: publishes what is not rejected
roles:
  judge:
    agent: human
    description: judges
    goal: Judge it
    capabilities: []
    procedure: Judge
    output: a verdict
    meta: { type: object, properties: { verdict: { type: string } }, required: [verdict] }
  publisher:
    description: publishes
    goal: Publish it
    capabilities: []
    procedure: Publish
    output: nothing
    meta: { type: object, properties: {} }
conditions:
  rejected: { description: It is not to be published, expression: "steps[-1].output.verdict = 'rejected'" }
graph:
  $START: [{ role: judge, condition: null }]
  judge: [{ role: $END, condition: rejected }, { role: publisher, condition: null }]
  publisher: [{ role: $END, condition: null }]
`;

it("a word that a .env of the working folder calls a key is not taken out of an answer: nothing is recorded", async () => {
  const box = sandbox();
  await box.json(["workflow", "put", box.write("verdict.yaml", VERDICT)]);
  const { thread } = await box.json(["thread", "start", "verdict", "-p", "x"]);
  box.write(".env", "API_KEY=rejected\n");
  const ran = await box.uwf(["thread", "answer", thread, "--field", "verdict=rejected"]);
  expect(ran).toMatchObject({ code: 4, stdout: "" });
  expect(ran.stderr).toContain("error[INVALID_ANSWER]");
  expect(ran.stderr).toContain("give API_KEY another value there");
  expect(await box.json(["thread", "show", thread])).toMatchObject({ done: false });
  box.write(".env", "");
  await box.json(["thread", "answer", thread, "--field", "verdict=rejected"]);
  expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "end" });
});
