import { basename, dirname } from "node:path";
import { checkSchema, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import {
  type AuthoredRole,
  type AuthoredWorkflow,
  type ConditionDefinition,
  END,
  type Transition,
} from "@uncaged/workflow-protocol";
import {
  addError,
  asList,
  asMap,
  asText,
  asTextList,
  below,
  checkKeys,
  describe,
  entry,
  type Findings,
  present,
} from "../shape.js";
import { checkEach, readPlayer } from "./player-shape.js";

/** Stands in for a `meta` that was refused, so that the rest of the workflow can be checked. */
const ANY_OBJECT: JsonObject = { type: "object" };

/** `meta`: a valid JSON Schema. Whether it describes an object is checked later, with the rest of the role. */
function readMeta(findings: Findings, path: string, value: JsonValue | undefined): JsonObject {
  const meta = asMap(findings, path, value);
  if (meta === null) return ANY_OBJECT;
  const problems = checkSchema(meta);
  for (const { path: inside, message, suggestion } of problems)
    findings.add({
      severity: "error",
      code: "invalid-schema",
      path: `${path}${inside}`,
      offset: null,
      message,
      suggestion,
      also: [],
    });
  return problems.length > 0 ? ANY_OBJECT : meta;
}

/** The workflow that a path names: `a/solve-issue.yaml` and `solve-issue/index.yaml` both say `solve-issue`. */
export function nameOfFile(path: string): string | null {
  const match = /^(.+)\.ya?ml$/.exec(basename(path));
  if (match === null) return null;
  return match[1] === "index" ? basename(dirname(path)) : (match[1] ?? null);
}

// The gate from unknown to AuthoredWorkflow. What it refuses it replaces by something harmless, so that the checks of
// the graph run all the same and a file's mistakes are reported together.

const TOP_KEYS = ["name", "description", "roles", "conditions", "graph"];
const ROLE_KEYS = ["description", "goal", "capabilities", "procedure", "output", "meta"];
const CONDITION_KEYS = ["description", "expression"];
const TRANSITION_KEYS = ["role", "condition"];

const TO_END: Transition = { role: END, condition: null };

type ReadEntry<T> = (findings: Findings, path: string, value: JsonValue | undefined) => T;

/** `null` if a complete section is missing, so that nothing can be said about the others. */
export function readWorkflow(findings: Findings, value: JsonValue): AuthoredWorkflow | null {
  if (value === null) {
    addError(findings, "", "the file is empty");
    return null;
  }
  const map = asMap(findings, "", value);
  if (map === null) return null;
  checkKeys(findings, "", map, { required: TOP_KEYS, optional: [], unknown: "error" });
  const name = textOf(findings, "", map, "name", "unnamed");
  const description = textOf(findings, "", map, "description", "");
  const roles = section(findings, map, "roles", readRole);
  const conditions = section(findings, map, "conditions", readCondition);
  const graph = section(findings, map, "graph", readTransitions);
  if (roles === null || conditions === null || graph === null) return null;
  checkEach(findings, roles);
  return { name, description, roles, conditions, graph };
}

/** A map of named things. `fromEntries` makes own entries, also of names like `__proto__`. */
function section<T>(
  findings: Findings,
  map: JsonObject,
  key: string,
  read: ReadEntry<T>,
): Readonly<Record<string, T>> | null {
  if (!Object.hasOwn(map, key)) return null;
  const path = below("", key);
  const entries = asMap(findings, path, entry(map, key));
  if (entries === null) return null;
  return Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [name, read(findings, below(path, name), value)]),
  );
}

function readRole(findings: Findings, path: string, value: JsonValue | undefined): AuthoredRole {
  const map = closedMap(findings, path, value, ROLE_KEYS, ["agent"]);
  const meta = present(findings, path, map, "meta", readMeta) ?? ANY_OBJECT;
  return {
    description: textOf(findings, path, map, "description", ""),
    goal: textOf(findings, path, map, "goal", ""),
    capabilities: present(findings, path, map, "capabilities", asTextList) ?? [],
    procedure: textOf(findings, path, map, "procedure", ""),
    output: textOf(findings, path, map, "output", ""),
    meta,
    agent: readPlayer(findings, below(path, "agent"), entry(map, "agent") ?? null, meta),
  };
}

function readCondition(findings: Findings, path: string, value: JsonValue | undefined): ConditionDefinition {
  const map = closedMap(findings, path, value, CONDITION_KEYS);
  return {
    description: textOf(findings, path, map, "description", ""),
    expression: textOf(findings, path, map, "expression", "true"),
  };
}

function readTransitions(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): readonly Transition[] {
  const list = asList(findings, path, value);
  return list?.map((item, index) => readTransition(findings, below(path, index), item)) ?? [TO_END];
}

function readTransition(findings: Findings, path: string, value: JsonValue): Transition {
  const map = closedMap(findings, path, value, TRANSITION_KEYS);
  return {
    role: textOf(findings, path, map, "role", END),
    condition: present(findings, path, map, "condition", asConditionName),
  };
}

function asConditionName(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  if (value === null || typeof value === "string") return value;
  addError(findings, path, `condition must be a condition's name or null, found ${describe(value)}`);
  return null;
}

/** A map with these keys and no others; an empty one if there is none. */
function closedMap(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
  required: readonly string[],
  optional: readonly string[] = [],
): JsonObject {
  const map = asMap(findings, path, value);
  if (map === null) return {};
  checkKeys(findings, path, map, { required, optional, unknown: "error" });
  return map;
}

function textOf(findings: Findings, path: string, map: JsonObject, key: string, otherwise: string): string {
  return present(findings, path, map, key, asText) ?? otherwise;
}
