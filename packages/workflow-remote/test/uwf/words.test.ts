import type { FoundThread } from "@uncaged/workflow-remote";
import { expect, it } from "vitest";
import { threadTable } from "../../src/work/index.js";

const FREE: FoundThread = {
  ...{ thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB", workflow: "2T9SH0V8KMDF4", head: "7YQ5C0QZ2T1VA", steps: 2 },
  ...{ cwd: null, workspace: null, ended: null, held: null, paused: null, leasedBy: null, place: null },
  ...{ changedAt: 0, worker: null },
};

const WORKER = { root: "r", host: "laptop", folder: "/root" };
const ANSWER = { for: "answer", role: "human", question: "ship it?", code: null };
const FAILURE = { for: "failure", role: null, question: null, code: "AGENT_FAILED" };

it.each<readonly [string, Partial<FoundThread>]>([
  ["active", {}],
  ["running: at laptop:/root", { worker: WORKER }],
  ["held: paused: later", { paused: { since: 0, why: "later" } }],
  ["held: waits for an answer as human: ship it?", { held: ANSWER }],
  ["failing: is put aside after a failure: AGENT_FAILED", { held: FAILURE }],
  ["ended", { ended: "end" }],
  ["killed", { ended: "killed" }],
])("the table of a remote's threads begins with the state that other screens have: %s", (words, thread) => {
  const screen = { width: 200, colour: false, now: 0 };
  const table = threadTable(screen, [{ ...FREE, ...thread }], () => "solve-issue");
  expect(table.trimEnd().split("\n").at(-1)).toMatch(new RegExp(` ${words.replace("?", "\\?")}$`));
});
