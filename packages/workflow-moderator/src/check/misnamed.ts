import { type AuthoredWorkflow, END, FAIL, isObject, START, suggest } from "@uncaged/workflow-protocol";
import { error, type GraphProblem, pointer, warning } from "./problem.js";

// A name that is misspelt where it is defined is wrong in one place and right in many: it is reported there, and the
// other checks see the workflow as it is meant.

type Meant = {
  readonly problems: readonly GraphProblem[];
  readonly workflow: AuthoredWorkflow;
  /** The path in the file of a path in `workflow`. */
  readonly pathOf: (path: string) => string;
};

/** The workflow as it is meant, and the definitions that say otherwise. */
export function meantWorkflow(written: AuthoredWorkflow): Meant {
  const roles = misnamedRoles(written);
  const conditions = misnamedConditions(written);
  const required = misspeltFields(written);
  const renamed = {
    ...written,
    roles: withNames(withFields(written.roles, required), roles),
    conditions: withNames(written.conditions, conditions),
  };
  return {
    problems: [
      ...[...roles].map(([from, to]) => misnamed("role", from, to)),
      ...[...conditions].map(([from, to]) => misnamed("condition", from, to)),
      ...required.map(({ problem }) => problem),
      ...undeclaredFields(written),
    ],
    workflow: renamed,
    pathOf: (path) => pathIn(path, "roles", roles) ?? pathIn(path, "conditions", conditions) ?? path,
  };
}

/** By the name that is written: the one that is meant. */
type Names = ReadonlyMap<string, string>;

function misnamed(kind: "role" | "condition", from: string, to: string): GraphProblem {
  const message = `the graph does not name the ${kind} ${from}, but ${to}, which is not defined`;
  return error(
    kind === "role" ? "unknown-role" : "unknown-condition",
    pointer(`${kind}s`, from),
    message,
    to,
  );
}

function withNames<T>(entries: Readonly<Record<string, T>>, names: Names): Readonly<Record<string, T>> {
  if (names.size === 0) return entries;
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [names.get(name) ?? name, value]));
}

function pathIn(path: string, section: string, names: Names): string | null {
  const [, top, name, ...rest] = path.split("/");
  const from = top === section ? [...names].find(([, to]) => pointer(to) === `/${name}`)?.[0] : undefined;
  return from === undefined ? null : [pointer(section, from), ...rest].join("/");
}

function misnamedRoles({ roles, graph }: AuthoredWorkflow): Names {
  const targets = Object.values(graph).flatMap((transitions) => transitions.map(({ role }) => role));
  const reserved = [START, END, FAIL];
  const used = [...Object.keys(graph), ...targets].filter((name) => !reserved.includes(name));
  // `END` resembles one of uwf's own words, and is not a role.
  return pairs(
    Object.keys(roles),
    used.filter((name) => suggest(name, reserved) === null),
  );
}

function misnamedConditions({ conditions, graph }: AuthoredWorkflow): Names {
  const used = Object.values(graph).flatMap((transitions) =>
    transitions.flatMap(({ condition }) => condition ?? []),
  );
  return pairs(Object.keys(conditions), used);
}

/**
 * Defined names that nothing uses, each with an undefined one that is used at least twice: it is near, or there is no
 * other that it could be.
 */
function pairs(defined: readonly string[], used: readonly string[]): Names {
  const known = new Set(defined);
  const uses = new Map<string, number>();
  for (const name of used) uses.set(name, (uses.get(name) ?? 0) + 1);
  const idle = defined.filter((name) => !uses.has(name));
  const unknown = [...uses].filter(([name]) => !known.has(name));
  const often = unknown.flatMap(([name, times]) => (times > 1 ? [name] : []));
  const isOnlyOne = idle.length === 1 && unknown.length === 1;
  const found = idle.flatMap((name): readonly (readonly [string, string])[] => {
    const meant = suggest(name, often) ?? (isOnlyOne ? often[0] : undefined);
    return meant === undefined ? [] : [[name, meant]];
  });
  const names = new Map(found);
  return new Set(names.values()).size === names.size ? names : new Map();
}

type Schema = AuthoredWorkflow["roles"][string]["meta"];

/** A name in a role's `required` that is none of its properties, and the property that it is near to. */
type Misspelt = {
  readonly role: string;
  readonly required: string;
  readonly property: string;
  readonly problem: GraphProblem;
};

/** The name that the conditions use more often is the right one. */
function misspeltFields({ roles, conditions }: AuthoredWorkflow): readonly Misspelt[] {
  const expressions = Object.values(conditions).map(({ expression }) => expression);
  const uses = (name: string): number =>
    expressions.filter((text) => text.split(/[^\p{L}\p{N}_]+/u).includes(name)).length;
  return Object.entries(roles).flatMap(([role, { meta }]) =>
    undeclared(meta).flatMap(({ required, property, index }) => {
      if (property === null) return [];
      const isRequiredRight = uses(required) > uses(property);
      const path = isRequiredRight
        ? pointer("roles", role, "meta", "properties", property)
        : pointer("roles", role, "meta", "required", index);
      const message = `the meta of ${role} requires ${required}, which is not among its properties`;
      const meant = isRequiredRight ? required : property;
      return [{ role, required, property, problem: warning("unknown-field", path, message, meant) }];
    }),
  );
}

/** No property is near: it is forgotten, or `required` has one too many. */
function undeclaredFields({ roles }: AuthoredWorkflow): readonly GraphProblem[] {
  return Object.entries(roles).flatMap(([role, { meta }]) =>
    undeclared(meta)
      .filter(({ property }) => property === null)
      .map(({ required, index }) => {
        const message = `the meta of ${role} requires ${required}, which is not among its properties`;
        return warning("unknown-field", pointer("roles", role, "meta", "required", index), message);
      }),
  );
}

type Undeclared = {
  readonly required: string;
  /** The one that is near to it. */
  readonly property: string | null;
  readonly index: number;
};

/** Only where the properties stand beside `required`, and nothing else says what they are. */
function undeclared(meta: Schema): readonly Undeclared[] {
  const { properties, required } = meta;
  const isPlain = Object.keys(meta).every((keyword) => !ELSEWHERE.includes(keyword));
  if (!isPlain || !Array.isArray(required) || typeof properties !== "object" || properties === null)
    return [];
  const declared = Object.keys(properties);
  const idle = declared.filter((name) => !required.includes(name));
  return required.flatMap((name, index) => {
    if (typeof name !== "string" || declared.includes(name)) return [];
    return [{ required: name, property: suggest(name, idle), index }];
  });
}

const ELSEWHERE = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas"];

function withFields(
  roles: AuthoredWorkflow["roles"],
  misspelt: readonly Misspelt[],
): AuthoredWorkflow["roles"] {
  if (misspelt.length === 0) return roles;
  return Object.fromEntries(
    Object.entries(roles).map(([name, role]) => {
      const fields = misspelt.filter((field) => field.role === name);
      return [name, { ...role, meta: fields.reduce(withField, role.meta) }];
    }),
  );
}

/** Both names are declared and required: conditions may use the one or the other. */
function withField(meta: Schema, { required, property, problem }: Misspelt): Schema {
  const properties = isObject(meta.properties) ? meta.properties : {};
  const meant = problem.suggestion === required ? { [required]: properties[property] ?? true } : {};
  const names = Array.isArray(meta.required) ? meta.required : [];
  return { ...meta, properties: { ...properties, ...meant }, required: [...names, property] };
}
