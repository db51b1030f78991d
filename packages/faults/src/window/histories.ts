import type { JsonValue } from "@uncaged/json-cas";
import type { Random } from "../frame/index.js";

/** A step of role `a` or `b` with an output of any shape. */
export function randomStep(random: Random): RandomStep {
  return {
    role: random.pick(["a", "b"] as const),
    output: randomOutput(random),
    agent: random.pick(["uwf-mock", "uwf-other"] as const),
  };
}

type RandomStep = { readonly role: string; readonly output: JsonValue; readonly agent: string };

function randomOutput(random: Random): JsonValue {
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
