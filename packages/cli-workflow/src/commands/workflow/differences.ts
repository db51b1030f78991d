import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonValue } from "@uncaged/json-cas";
import type { AuthoredRole, AuthoredWorkflow, RolePlayer, Transition } from "@uncaged/workflow-protocol";

/** A value before and after. */
export type Change<T> = { readonly from: T; readonly to: T };

/** Names of entries that only the one or the other has, and what differs between those that both have. */
type Section<T> = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ({ readonly name: string } & T)[];
};

/** A place in a schema, as a JSON Pointer; a missing value is `null`, and `kind` says so. */
export type SchemaChange = {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly from: JsonValue;
  readonly to: JsonValue;
};

export type RoleChange = {
  /** By key: description, goal, procedure, output. */
  readonly texts: Readonly<Record<string, Change<string>>>;
  readonly capabilities: Change<readonly string[]> | null;
  readonly agent: Change<RolePlayer | null> | null;
  readonly meta: readonly SchemaChange[];
};

export type ConditionChange = {
  readonly description: Change<string> | null;
  readonly expression: Change<string> | null;
};

export type WorkflowDifferences = {
  readonly name: Change<string> | null;
  readonly description: Change<string> | null;
  readonly roles: Section<RoleChange>;
  readonly conditions: Section<ConditionChange>;
  /** By the role that the transitions leave, and $START. */
  readonly graph: Section<Change<readonly Transition[]>>;
};

export function differencesOf(a: AuthoredWorkflow, b: AuthoredWorkflow): WorkflowDifferences {
  return {
    name: changeOf(a.name, b.name),
    description: changeOf(a.description, b.description),
    roles: sectionOf(a.roles, b.roles, roleChange),
    conditions: sectionOf(a.conditions, b.conditions, (from, to) => ({
      description: changeOf(from.description, to.description),
      expression: changeOf(from.expression, to.expression),
    })),
    graph: sectionOf(a.graph, b.graph, (from, to) => ({ from, to })),
  };
}

function changeOf<T>(from: T, to: T): Change<T> | null {
  return isDeepStrictEqual(from, to) ? null : { from, to };
}

function sectionOf<T, C>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  change: (from: T, to: T) => C,
): Section<C> {
  const names = Object.keys(b);
  return {
    added: names.filter((name) => !Object.hasOwn(a, name)),
    removed: Object.keys(a).filter((name) => !Object.hasOwn(b, name)),
    changed: names.flatMap((name) => {
      const from = Object.hasOwn(a, name) ? a[name] : undefined;
      const to = b[name];
      if (from === undefined || to === undefined || isDeepStrictEqual(from, to)) return [];
      return [{ name, ...change(from, to) }];
    }),
  };
}

const TEXTS = ["description", "goal", "procedure", "output"] as const;

function roleChange(from: AuthoredRole, to: AuthoredRole): RoleChange {
  const texts = TEXTS.flatMap((key) => {
    const change = changeOf(from[key], to[key]);
    return change === null ? [] : [[key, change] as const];
  });
  return {
    texts: Object.fromEntries(texts),
    capabilities: changeOf(from.capabilities, to.capabilities),
    agent: changeOf(from.agent, to.agent),
    meta: schemaChanges("", from.meta, to.meta),
  };
}

/** The smallest parts that differ; a list is one part. */
function schemaChanges(path: string, from: JsonValue, to: JsonValue): readonly SchemaChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ path, kind: "changed", from, to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name): readonly SchemaChange[] => {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    const after = Object.hasOwn(to, name) ? to[name] : undefined;
    if (before === undefined) return [{ path: at, kind: "added", from: null, to: after ?? null }];
    if (after === undefined) return [{ path: at, kind: "removed", from: before, to: null }];
    return schemaChanges(at, before, after);
  });
}
