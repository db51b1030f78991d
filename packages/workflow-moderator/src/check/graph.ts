import { type AuthoredWorkflow, END, FAIL, START, type Transition } from "@uncaged/workflow-protocol";
import { error, pointer, warning } from "./problem.js";
import { suggest } from "./suggest.js";
import type { GraphProblem } from "./types.js";

/** Targets that are no roles. */
const ENDS: ReadonlySet<string> = new Set([END, FAIL]);

/** Names that hang in the air, entries that are missing, transitions that can never be taken. */
export function checkGraph(workflow: AuthoredWorkflow): readonly GraphProblem[] {
  return [
    ...missingEntries(workflow),
    ...Object.entries(workflow.graph).flatMap(([key, transitions]) => [
      ...checkKey(workflow, key),
      ...checkOrder(key, transitions),
      ...transitions.flatMap((transition, i) => checkTransition(workflow, key, i, transition)),
    ]),
    ...unusedConditions(workflow),
  ];
}

function missingEntries({ roles, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const start = Object.hasOwn(graph, START) ? [] : [error("/graph", `the graph has no entry for ${START}`)];
  const silent = Object.keys(roles).filter((role) => !Object.hasOwn(graph, role));
  return [
    ...start,
    ...silent.map((role) => error(pointer("roles", role), `the role ${role} has no entry in the graph`)),
  ];
}

function checkKey({ roles }: AuthoredWorkflow, key: string): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [error(path, `${key} ends the thread, it has no transitions`)];
  if (key === START || Object.hasOwn(roles, key)) return [];
  return [
    error(
      path,
      `the graph has an entry for ${key}, which is no role`,
      suggest(key, [START, ...Object.keys(roles)]),
    ),
  ];
}

function checkOrder(key: string, transitions: readonly Transition[]): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [];
  if (transitions.length === 0) return [error(path, `${key} has no transitions; end the thread with ${END}`)];
  const fallback = transitions.findIndex(({ condition }) => condition === null);
  if (fallback === -1) {
    return [
      warning(
        path,
        `the last transition of ${key} has a condition; without a fallback (condition: null) the thread can get stuck`,
      ),
    ];
  }
  return transitions
    .slice(fallback + 1)
    .map((_, i) =>
      warning(
        pointer("graph", key, fallback + 1 + i),
        `this transition of ${key} is never taken, it stands after the fallback`,
      ),
    );
}

function checkTransition(
  { roles, conditions }: AuthoredWorkflow,
  key: string,
  index: number,
  { role, condition }: Transition,
): readonly GraphProblem[] {
  const problems: GraphProblem[] = [];
  if (!ENDS.has(role) && !Object.hasOwn(roles, role)) {
    const path = pointer("graph", key, index, "role");
    problems.push(
      error(
        path,
        `${key} leads to ${role}, which is no role`,
        suggest(role, [...ENDS, ...Object.keys(roles)]),
      ),
    );
  }
  if (condition !== null && !Object.hasOwn(conditions, condition)) {
    const path = pointer("graph", key, index, "condition");
    problems.push(
      error(
        path,
        `${key} names the condition ${condition}, which is not defined`,
        suggest(condition, Object.keys(conditions)),
      ),
    );
  }
  return problems;
}

function unusedConditions({ conditions, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const used = new Set(Object.values(graph).flatMap((all) => all.map(({ condition }) => condition)));
  return Object.keys(conditions)
    .filter((name) => !used.has(name))
    .map((name) => warning(pointer("conditions", name), `no transition uses the condition ${name}`));
}
