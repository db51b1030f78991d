import { readdirSync, readFileSync } from "node:fs";
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import { afterAll, describe, expect, it } from "vitest";
import { observeCondition, openEvaluationSession } from "../../src/condition.js";
import { history } from "../support/index.js";

const session = openEvaluationSession();
afterAll(() => session.close());

const START = history();

function contextOf(steps: ModeratorContext["steps"]): ModeratorContext {
  return { ...START, steps };
}

const HISTORY = history(
  ...Array.from({ length: 30 }, (_, n) => [n % 2 === 0 ? "work" : "check", { n }] as const),
).steps;

const [OTHER] = history(["check", { n: 300 }]).steps;

/** Not plain: each would cost a process of its own. */
const EXPRESSIONS = [
  "$join(steps.role, '') = 'workcheck'",
  "$contains(steps[-1].role, /^ch/)",
  "$count(steps.(role = 'check' ? 1)) >= 5",
  "$sum($map(steps, function($s) { $s.output.n })) > 20",
  "$reverse(steps.role)[0] = 'work'",
];

/** Processes that this one has started and that have not ended, by /proc. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentIn(`/proc/${name}/stat`) === parent)
    .map(Number);
}

/** `pid (name) state ppid …`; `null`: it has ended in the meantime. */
function parentIn(stat: string): number | null {
  try {
    return Number(/\) (?!Z)\S (\d+)/.exec(readFileSync(stat, "latin1"))?.[1]);
  } catch {
    return null;
  }
}

async function newChildren(before: readonly number[]): Promise<readonly number[]> {
  for (;;) {
    const started = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    if (started.length > 0) return started;
    await new Promise(setImmediate);
  }
}

describe("a session of evaluations", () => {
  it.each(EXPRESSIONS)(
    "gives what a single evaluation gives, while the history grows: %s",
    async (expression) => {
      for (const length of [0, 1, 2, 7, 30]) {
        const context = contextOf(HISTORY.slice(0, length));
        expect(await session.observe(expression, context)).toEqual(
          await observeCondition(expression, context),
        );
      }
    },
  );

  it("takes a shorter history, another one and the last steps of one for what they are", async () => {
    const last = "$string(steps.output.n) = '[28,29]'";
    expect(await session.observe(last, contextOf(HISTORY))).toMatchObject({ value: { json: "false" } });
    expect(await session.observe(last, contextOf(HISTORY.slice(-2)))).toMatchObject({
      value: { json: "true" },
    });
    const other = HISTORY.map((each, index) => (index === 3 ? (OTHER ?? each) : each));
    const most = "$max($map(steps, function($s) { $s.output.n })) = 300";
    expect(await session.observe(most, contextOf(other))).toMatchObject({ value: { json: "true" } });
    expect(await session.observe(most, contextOf(HISTORY))).toMatchObject({ value: { json: "false" } });
  });

  it("shows an expression nothing of what an earlier one has written to its input", async () => {
    const context = contextOf(HISTORY.slice(0, 1));
    const text = "$string(steps.role) = 'work'";
    const before = await session.observe(text, context);
    await session.observe("$count(steps[].role) = 1", context);
    expect(await session.observe(text, context)).toEqual(before);
  });

  it.each([
    ["no value", "steps.{'a': gone}.a"],
    ["a number", "$length($join(steps.role))"],
    ["an error", "$join(steps)"],
    ["a syntax error", "steps["],
    ["a banned function", "$now() = 'x'"],
    ["a regex that is refused", "$contains(steps[0].role, /(?=a)/)"],
  ])("answers the same for %s", async (_what, expression) => {
    const context = contextOf(HISTORY);
    expect(await session.observe(expression, context)).toEqual(await observeCondition(expression, context));
  });

  it("survives an expression that fills the memory", async () => {
    const bomb = "($double := function($t) { $double($t & $t) }; $double('aaaaaaaa'))";
    const context = contextOf(HISTORY);
    expect((await session.observe(bomb, context)).ok).toBe(false);
    expect(await session.observe("$join(steps.role) != ''", context)).toMatchObject({
      value: { json: "true" },
    });
  });

  it("answers though its evaluator is killed while it is asked", async () => {
    const killed = openEvaluationSession();
    const before = childrenOf(process.pid);
    const asked = killed.observe("$join(steps.role) != ''", contextOf(HISTORY));
    // It has no answer yet: its runtime takes longer to start than a look at the processes.
    for (const pid of await newChildren(before)) process.kill(pid, "SIGKILL");
    expect(await asked).toMatchObject({ value: { json: "true" } });
    await killed.close();
  });

  it("counts what its evaluations cost, in its own process, in this one and in one that explains a value", async () => {
    const counted = openEvaluationSession();
    const context = contextOf(HISTORY);
    const costs: number[] = [];
    const range = "$count([1..1000]) = 1000";
    const simple = "steps[-1].role = 'check'";
    for (const expression of [simple, "$count(steps.role) = 30", range, range, "[1..1000]"]) {
      const before = counted.cost();
      await counted.observe(expression, context);
      costs.push(counted.cost() - before);
    }
    await counted.close();
    const [last, plain, once, again, explained] = costs;
    expect(last).toBeLessThan(20);
    expect(plain).toBeGreaterThan(30);
    expect(once).toBeGreaterThan(1_000);
    expect(once).toBeLessThan(3_000);
    // A history is sent once.
    expect(again).toBeLessThan(once ?? 0);
    // It was evaluated three times, and a process was started for two of them.
    expect(explained).toBeGreaterThan(103_000);
  });

  it("starts nothing for what needs no process, and can be closed twice", async () => {
    const idle = openEvaluationSession();
    expect(await idle.observe("steps[-1].role = 'check'", contextOf(HISTORY))).toMatchObject({ ok: true });
    await idle.close();
    await session.close();
    await session.close();
    const context = contextOf(HISTORY);
    expect(await session.observe("$join(steps.role) = ''", context)).toMatchObject({
      value: { json: "false" },
    });
  });
});
