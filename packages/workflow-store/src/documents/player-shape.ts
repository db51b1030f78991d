import {
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
  validatePayload,
  violationMessage,
} from "@uncaged/json-cas";
import type { AuthoredWorkflow, HumanPlayer, RolePlayer, WorkflowPlayer } from "@uncaged/workflow-protocol";
import { withAnswerFields } from "../answer.js";
import { isWorkflowName } from "../ids.js";
import {
  addError,
  asBoolean,
  asFilledText,
  asMap,
  asNumber,
  below,
  checkKeys,
  describe,
  entry,
  type Findings,
  present,
} from "../shape.js";

// A role's `agent`: a person or child threads.

/** `agent`: who plays the role. `human` is short for a person without a time limit. */
export function readPlayer(
  findings: Findings,
  path: string,
  value: JsonValue,
  meta: JsonObject,
): RolePlayer | null {
  if (value === null) return null;
  if (value === "human") return { human: { timeoutSeconds: null, default: null } };
  if (!isObject(value)) {
    addError(
      findings,
      path,
      `agent must be human, or a map with human or workflow; which command plays a role is said in config.yaml, found ${describe(value)}`,
    );
    return null;
  }
  if (Object.hasOwn(value, "workflow")) return { workflow: readChildWorkflow(findings, path, value) };
  checkKeys(findings, path, value, { required: ["human"], optional: [], unknown: "error" });
  const human = entry(value, "human");
  return human === undefined ? null : { human: readHuman(findings, below(path, "human"), human ?? {}, meta) };
}

const PLAYER_KEYS = ["each", "jobs", "partial", "output", "prompt"];

/** Child threads play the role. Whether `each` is a list is checked with the other roles. */
function readChildWorkflow(findings: Findings, path: string, map: JsonObject): WorkflowPlayer {
  checkKeys(findings, path, map, { required: ["workflow"], optional: PLAYER_KEYS, unknown: "error" });
  const named = entry(map, "workflow");
  const name = typeof named === "string" ? named : "";
  if (!isWorkflowName(name) && !isHash(name)) {
    const found = describe(named);
    addError(
      findings,
      below(path, "workflow"),
      `workflow must be the name of one, or a hash, found ${found}`,
    );
  }
  return {
    name,
    each: present(findings, path, map, "each", asPlace),
    jobs: present(findings, path, map, "jobs", asJobs) ?? 1,
    partial: present(findings, path, map, "partial", asBoolean) ?? false,
    output: present(findings, path, map, "output", asFilledText),
    prompt: present(findings, path, map, "prompt", asPromptKind) ?? "role",
  };
}

function asPlace(findings: Findings, path: string, value: JsonValue | undefined): string | null {
  if (typeof value === "string" && /^[^.]+(?:\.[^.]+)+$/.test(value)) return value;
  addError(
    findings,
    path,
    `each must be a role and a field of it, as in planner.phases, found ${describe(value)}`,
  );
  return null;
}

/** As the agent's own limit. */
const MOST_JOBS = 32;

function asJobs(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  const isFit = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MOST_JOBS;
  return asNumber(findings, path, value, `a whole number from 1 to ${MOST_JOBS}`, isFit);
}

function asPromptKind(
  findings: Findings,
  path: string,
  value: JsonValue | undefined,
): "role" | "task" | null {
  if (value === "role" || value === "task") return value;
  addError(findings, path, `prompt must be role or task, found ${describe(value)}`);
  return null;
}

/** `each` names a list in the meta of a role. What a schema says by references is left to the step. */
export function checkEach(findings: Findings, roles: AuthoredWorkflow["roles"]): void {
  for (const [name, { agent }] of Object.entries(roles)) {
    const each = agent !== null && "workflow" in agent ? agent.workflow.each : null;
    if (each === null) continue;
    const at = below(below(below("/roles", name), "agent"), "each");
    const [role = "", ...fields] = each.split(".");
    const source = Object.hasOwn(roles, role) ? roles[role] : undefined;
    const problem = source === undefined ? `there is no role ${role}` : noList(source.meta, role, fields);
    if (problem !== null) addError(findings, at, `each ${each}: ${problem}`);
  }
}

/** What is wrong with a field that should be a list; `null`: nothing, or the schema does not say. */
function noList(meta: JsonObject, role: string, fields: readonly string[]): string | null {
  let schema: JsonValue | undefined = meta;
  for (const field of fields) {
    if (!isObject(schema) || !isObject(schema.properties)) return null;
    if (!Object.hasOwn(schema.properties, field)) {
      return schema.additionalProperties === false ? `the meta of ${role} has no field ${field}` : null;
    }
    schema = schema.properties[field];
  }
  if (!isObject(schema) || typeof schema.type !== "string" || schema.type === "array") return null;
  return `it is of type ${schema.type} in the meta of ${role}, not a list (array)`;
}

function readHuman(findings: Findings, path: string, value: JsonValue, meta: JsonObject): HumanPlayer {
  const map = asMap(findings, path, value) ?? {};
  checkKeys(findings, path, map, { required: [], optional: ["timeout", "default"], unknown: "error" });
  const timeoutSeconds = present(findings, path, map, "timeout", asDuration);
  const preset = present(findings, path, map, "default", asMap);
  // Silence is an answer only where the author has said which.
  if (Object.hasOwn(map, "timeout") !== Object.hasOwn(map, "default"))
    addError(
      findings,
      path,
      "timeout and default belong together: after that time nobody's answer is the default",
    );
  if (preset !== null) checkDefault(findings, below(path, "default"), preset, meta);
  return { timeoutSeconds, default: preset };
}

function checkDefault(findings: Findings, path: string, preset: JsonObject, meta: JsonObject): void {
  const filled = withAnswerFields(meta, preset, { by: "nobody", at: 0, timedOut: true });
  for (const violation of validatePayload(meta, filled))
    addError(findings, path, `the default does not satisfy meta: ${violationMessage(violation)}`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function asDuration(findings: Findings, path: string, value: JsonValue | undefined): number | null {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(String(value)) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (typeof value === "string" && seconds > 0) return seconds;
  addError(findings, path, `timeout must be a time such as 90s, 15m, 2h or 3d, found ${describe(value)}`);
  return null;
}
