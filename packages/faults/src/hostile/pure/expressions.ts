import { parseHash } from "@uncaged/json-cas";
import { evaluateCondition, loadChecks } from "@uncaged/workflow-moderator";
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { corpus, mutatedText, nastyText } from "../texts.js";
import { batchOf, type Subject } from "./batch.js";
import { anyExpression, plainExpression } from "./jsonata.js";

const killers = corpus("expressions");

/** Expressions that are evaluated in this process. */
export const plainExpressions: Subject = {
  name: "plain expressions",
  sample: 25,
  batch: 2_000,
  weight: 2,
  open: async ({ slowMs }) => batchOf(plainExpression, slowMs, await evaluator()),
};

/** Expressions of every sort, most of which get a process of their own. */
export const expressions: Subject = {
  name: "expressions",
  sample: 6,
  batch: 100,
  weight: 6,
  open: async ({ slowMs }) => {
    const short = killers.filter((text) => text.length < 200);
    const mutated = fc
      .constantFrom(...short)
      .chain((text) => mutatedText(text, fc.oneof(nastyText, anyExpression)));
    const inputs = fc.oneof(
      { weight: 3, arbitrary: anyExpression },
      { weight: 2, arbitrary: mutated },
      { weight: 2, arbitrary: fc.constantFrom(...killers) },
    );
    return batchOf(inputs, slowMs, await evaluator());
  },
};

async function evaluator(): Promise<(expression: string) => Promise<void>> {
  const { checkExpression } = await loadChecks();
  return async (expression) => {
    for (const { message } of checkExpression(expression)) {
      if (message === "") throw new Error("a problem without words");
    }
    const context = contextOfSteps();
    const before = JSON.stringify(context);
    const result = await evaluateCondition(expression, context);
    if (!result.ok && result.error.trim() === "") throw new Error("it fails without words");
    if (!result.ok && /evaluator broke down|no answer/.test(result.error)) throw new Error(result.error);
    if (JSON.stringify(context) !== before) throw new Error("the history was changed");
  };
}

function contextOfSteps(): ModeratorContext {
  const [workflow, detail] = [parseHash("0123456789ABC"), parseHash("0000000000001")];
  if (workflow === null || detail === null) throw new Error("no hash");
  const steps = Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 === 0 ? "maker" : "checker",
    output: {
      approved: index % 3 === 0,
      text: "word ".repeat(index),
      list: [index, { deep: [[index]] }],
      none: null,
    },
    detail,
    agent: "uwf-mock",
  }));
  return { start: { workflow, prompt: "a prompt" }, steps };
}

/** Every command but those that wait or draw for long (`ui`, `worker` with a remote); some that do not exist, and none. */
export const COMMANDS = [
  "",
  "nonsense",
  "constructor",
  "__proto__",
  "workflow",
  "workflow put",
  "workflow test",
  "workflow show",
  "workflow list",
  "workflow history",
  "workflow rollback",
  "workflow rm",
  "workflow validate",
  "workflow diff",
  "workflow graph",
  "workflow schema",
  "prompt",
  "run",
  "thread",
  "thread start",
  "thread step",
  "thread run",
  "thread next",
  "thread show",
  "thread list",
  "thread steps",
  "thread read",
  "thread step-details",
  "thread export",
  "thread import",
  "thread fork",
  "thread kill",
  "thread unlock",
  "thread answer",
  "thread note",
  "thread limit",
  "thread pause",
  "thread resume",
  "thread usage",
  "thread ps",
  "thread rm",
  "thread report",
  "thread submit",
  "thread push",
  "thread fetch",
  "remote",
  "remote init",
  "remote status",
  "remote gc",
  "worker",
  "report",
  "skill",
  "cas",
  "cas get",
  "cas put",
  "cas has",
  "cas refs",
  "cas walk",
  "cas list",
  "cas schema",
  "cas schema put",
  "cas schema get",
  "cas schema list",
  "cas schema validate",
  "cas reindex",
  "cas pack",
  "cas verify",
  "cas gc",
  "cas du",
  "cas import",
  "cas export",
  "cas file",
  "cas file put",
  "cas file get",
  "init",
  "setup",
  "doctor",
  "log",
  "completion",
  "completion bash",
  "__complete",
  "help",
  "help thread step",
  "help thread answer",
  "help exit-codes",
] as const;

/** Options with values that start nothing and write nowhere but into the storage root and the current folder. `--follow` would wait. */
export const OPTIONS: readonly (readonly string[])[] = [
  ["--format", "json"],
  ["--format", "yaml"],
  ["--format", "xml"],
  ["--format"],
  ["--format="],
  ["--error-format", "json"],
  ["--error-format=json"],
  ["--error-format", "\u001b[31m"],
  ["--help"],
  ["-h"],
  ["--version"],
  ["-V"],
  ["--"],
  ["-p", "prompt"],
  ["-p", "-"],
  ["-p", ""],
  ["-p", "-x"],
  ["--prompt", "\u001b[2J"],
  ["--prompt-file", "file.yaml"],
  ["--prompt-file", "."],
  ["--agent", ""],
  ["--agent", "'"],
  ["--agent", "no-such-agent --x"],
  ["--agent", "\u009b2J"],
  ["--wait", "0"],
  ["--wait=0"],
  ["--wait=abc"],
  ["--max-steps", "1"],
  ["--max-steps", "0"],
  ["--max-steps", "1e99"],
  ["--all"],
  ["--all", "--all"],
  ["--quota", "1"],
  ["--quota", "-1"],
  ["--quota", "999999999999999999999"],
  ["--before", "0000000000000"],
  ["--start"],
  ["--strict"],
  ["--update"],
  ["--scenario", "file.json"],
  ["--junit", "out.xml"],
  ["--from", "solve-issue"],
  ["--from", "__proto__"],
  ["--tree"],
  ["--type", "0000000000000"],
  ["--types"],
  ["--timestamp"],
  ["--repair"],
  ["--yes"],
  ["--root", "0000000000000"],
  ["--force"],
  ["--since", "1h"],
  ["--since", "\u001b"],
  ["--thread", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"],
  ["--retries", "1"],
  ["--retries", "-1"],
  ["-o", "out.bin"],
  ["--field", "text=x"],
  ["--field", "__proto__=1"],
  ["--field", "="],
  ["-f", "file.json"],
  ["-f", "-"],
  ["-f", "."],
  ["--edit"],
  ["--show"],
  ["--head", "0000000000000"],
  ["--role", "__proto__"],
  ["--by", "\u001b[2J"],
  ["--take-over"],
  ["--held"],
  ["--restore"],
  ["--failed"],
  ["--key", "k"],
  ["--key", ""],
  ["--parent", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"],
  ["--max-cost", "1"],
  ["--max-cost", "-1"],
  ["--max-cost", "1e999"],
  ["--max-minutes", "NaN"],
  ["--max-steps", "none"],
  ["--jobs", "2"],
  ["--jobs", "0"],
  ["--jobs", "1e9"],
  ["--source"],
  ["--instead-of", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"],
  ["--dry-run"],
  ["--workflow", "turns"],
  ["-m", "why"],
  ["--media-type", "text/plain"],
  ["--provider", "openrouter"],
  ["--provider", "__proto__"],
  ["--base-url", "https://example.invalid/v1"],
  ["--base-url", "javascript:alert(1)"],
  ["--api-key", "-"],
  ["--api-key", "sk-1234567890abcdef"],
  ["--model", "a/b"],
  ["--model", "__proto__"],
  ["--no-such-option"],
  ["--__proto__"],
  ["--constructor=1"],
  ["-xyz"],
];
