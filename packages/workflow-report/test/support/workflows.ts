import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { loadChecks } from "@uncaged/workflow-moderator";
import type { ConditionDefinition, Transition } from "@uncaged/workflow-protocol";
import { readWorkflowFile } from "@uncaged/workflow-store";
import type { GraphSource } from "../../src/index.js";

const FOLDER = resolve(import.meta.dirname, "../../../../examples");

/** Names of the workflows in examples/. */
export const EXAMPLES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".yaml") && !file.endsWith(".scenario.yaml"))
  .map((file) => basename(file, ".yaml"))
  .sort();

export async function example(name: string): Promise<GraphSource> {
  const { checkWorkflow } = await loadChecks();
  const read = await readWorkflowFile(join(FOLDER, `${name}.yaml`), checkWorkflow);
  if (!read.ok || read.value.authored === null) throw new Error(`${name} cannot be read`);
  return read.value.authored;
}

/** From → its transitions: `target`, or `condition -> target`. */
export function workflow(graph: Readonly<Record<string, readonly string[]>>): GraphSource {
  const conditions: [string, ConditionDefinition][] = [];
  const entries = Object.entries(graph).map(([from, targets]): [string, readonly Transition[]] => [
    from,
    targets.map((text) => {
      const [role = "", condition = null] = text.split(" -> ").reverse();
      if (condition !== null)
        conditions.push([condition, { description: `Whether ${condition}`, expression: "true" }]);
      return { role, condition };
    }),
  ]);
  const roles = Object.keys(graph)
    .filter((name) => name !== "$START")
    .map((name) => [name, { description: `Plays ${name}`, agent: null }]);
  return {
    name: "drawn",
    description: "A workflow for a test.",
    roles: Object.fromEntries(roles),
    conditions: Object.fromEntries(conditions),
    graph: Object.fromEntries(entries),
  };
}

/** A chain of so many roles, each of which may also go `ways` to others near it, back or on. */
export function chain(length: number, ways: number): GraphSource {
  const role = (at: number): string => `role${Math.min(Math.max(at, 1), length)}`;
  const graph: Record<string, readonly string[]> = { $START: [role(1)] };
  for (let at = 1; at <= length; at += 1) {
    const others = Array.from({ length: ways }, (_, way) => {
      const far = ((at * 7 + way * 5) % 11) - 6;
      return `c${at}w${way} -> ${far === 0 ? "$FAIL" : role(at + far)}`;
    });
    graph[role(at)] = [...others, at === length ? "$END" : role(at + 1)];
  }
  return workflow(graph);
}
