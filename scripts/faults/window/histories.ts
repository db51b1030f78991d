import type { ModeratorContext } from "@uncaged/workflow-protocol";
import type { Random } from "../frame/index.js";

/** A history of up to eight steps of roles `a` and `b`, at least one, with outputs of every shape. */
export function randomHistory(random: Random): ModeratorContext {
  const steps = Array.from({ length: 1 + random.below(8) }, () => ({
    role: random.pick(["a", "b"] as const),
    output: randomOutput(random),
    detail: "0000000000001",
    agent: random.pick(["uwf-mock", "uwf-other"] as const),
  }));
  const start = { workflow: "0000000000000", prompt: random.pick(["a", "Fix the bug"] as const) };
  return { start, steps } as unknown as ModeratorContext;
}

function randomOutput(random: Random): unknown {
  const all = {
    ok: random.next() < 0.5,
    n: random.below(4),
    text: random.pick(["a", "abba", "", "x\ny"] as const),
    items: Array.from({ length: random.below(4) }, () => ({
      n: random.below(4),
      name: "a",
      ok: random.next() < 0.5,
    })),
    deep: random.pick([null, { n: 1, ok: true }, [[1], [2, [3]]], [], {}] as const),
    steps: [{ role: "a", output: { n: random.below(4) } }],
    role: "b",
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.next() < 0.7));
}
