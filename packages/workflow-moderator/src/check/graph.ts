import { type AuthoredWorkflow, END, FAIL, START, type Transition } from "@uncaged/workflow-protocol";
import { suggest } from "../infer/index.js";
import { error, pointer, warning } from "./problem.js";
import type { GraphProblem } from "./types.js";

/** Targets that are no roles. */
export const ENDS: ReadonlySet<string> = new Set([END, FAIL]);

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

/** A role whose entry has a misspelt key is told of there. */
function missingEntries({ roles, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const meant = new Set(Object.keys(graph).map((key) => meantKey(roles, graph, key)));
  const start =
    Object.hasOwn(graph, START) || meant.has(START)
      ? []
      : [error("missing-entry", "/graph", `the graph has no entry for ${START}`)];
  const silent = Object.keys(roles).filter((role) => !Object.hasOwn(graph, role) && !meant.has(role));
  return [
    ...start,
    ...silent.map((role) =>
      error("missing-entry", pointer("roles", role), `the role ${role} has no entry in the graph`),
    ),
  ];
}

/** The key that a misspelt one stands for: one that has no entry of its own. */
export function meantKey(
  roles: AuthoredWorkflow["roles"],
  graph: AuthoredWorkflow["graph"],
  key: string,
): string | null {
  if (key === START || ENDS.has(key) || Object.hasOwn(roles, key)) return null;
  return suggest(
    key,
    [START, ...Object.keys(roles)].filter((name) => !Object.hasOwn(graph, name)),
  );
}

function checkKey({ roles, graph }: AuthoredWorkflow, key: string): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [error("invalid", path, `${key} ends the thread, it has no transitions`)];
  if (key === START || Object.hasOwn(roles, key)) return [];
  return [
    error(
      "unknown-role",
      path,
      `the graph has an entry for ${key}, which is no role`,
      meantKey(roles, graph, key) ?? suggest(key, [START, ...Object.keys(roles)]),
    ),
  ];
}

function checkOrder(key: string, transitions: readonly Transition[]): readonly GraphProblem[] {
  const path = pointer("graph", key);
  if (ENDS.has(key)) return [];
  if (transitions.length === 0)
    return [error("missing-entry", path, `${key} has no transitions; end the thread with ${END}`)];
  const fallback = transitions.findIndex(({ condition }) => condition === null);
  if (fallback === -1) {
    return [
      warning(
        "no-fallback",
        path,
        `the last transition of ${key} has a condition; without a fallback (condition: null) the thread can get stuck`,
      ),
    ];
  }
  return transitions
    .slice(fallback + 1)
    .map((_, i) =>
      warning(
        "never-true",
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
        "unknown-role",
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
        "unknown-condition",
        path,
        `${key} names the condition ${condition}, which is not defined`,
        suggest(condition, Object.keys(conditions)),
      ),
    );
  }
  return problems;
}

/** One that a transition means and misspells is told of there. */
function unusedConditions({ conditions, graph }: AuthoredWorkflow): readonly GraphProblem[] {
  const named = Object.values(graph).flatMap((all) => all.flatMap(({ condition }) => condition ?? []));
  const known = Object.keys(conditions);
  const used = new Set(named.map((name) => (known.includes(name) ? name : suggest(name, known))));
  return known
    .filter((name) => !used.has(name))
    .map((name) =>
      warning("unused-condition", pointer("conditions", name), `no transition uses the condition ${name}`),
    );
}
