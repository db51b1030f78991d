import { END, FAIL, START } from "@uncaged/workflow-protocol";
import type { GraphSource } from "./types.js";

const ENDS: readonly string[] = [END, FAIL];

/**
 * The nodes as a reader follows them: from $START by the first transitions first, so that loops lead back and everything
 * else on; then roles that nothing leads to; the ends last. It depends on the order of transitions alone, since a stored
 * workflow has lost the order of its roles.
 */
export function orderOf({ roles, graph }: GraphSource): readonly string[] {
  const targets = new Map(
    Object.entries(graph).map(([name, transitions]) => [name, transitions.map(({ role }) => role)]),
  );
  const reached = fromStart(targets);
  const named = [...Object.keys(roles), ...targets.keys(), ...[...targets.values()].flat()];
  return endsLast([...reached, ...named.sort()]);
}

/** Each once; $END before $FAIL. */
export function endsLast(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  return [...[...all].filter((name) => !ENDS.includes(name)), ...ENDS.filter((name) => all.has(name))];
}

type Visit = { readonly name: string; readonly rest: string[] };

/** Reverse postorder. The last transition is followed first, which puts the first one's target next to its source. */
function fromStart(targets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const seen = new Set<string>([START]);
  const finished: string[] = [];
  const stack: Visit[] = [{ name: START, rest: [...(targets.get(START) ?? [])] }];
  for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
    const next = visit.rest.pop();
    if (next === undefined) {
      finished.push(visit.name);
      stack.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      stack.push({ name: next, rest: [...(targets.get(next) ?? [])] });
    }
  }
  return finished.reverse();
}
