import { isObject, type JsonValue, pointer } from "../json.js";
import { suggest, type Violation, violationMessage } from "../problems.js";
import { entriesAt, keyword, listAt, type SchemaObject, textsOf } from "../schema.js";
import { applicable, type Child, failingChildren, partOf, unevaluated } from "./applicators.js";
import type { Scope } from "./validate.js";
import { jsonWords, PLAIN_KEYWORDS, schemaWords, valueWords } from "./words.js";

/** No person reads more about one value. */
const MOST_VIOLATIONS = 100;

/** A value at its place, under explanation. */
type Site = {
  readonly scope: Scope;
  readonly value: JsonValue;
  /** JSON Pointer to the value. */
  readonly path: string;
};

function violation(
  { path, value }: Site,
  name: string,
  expected: string,
  got = valueWords(value),
): Violation {
  return { path, keyword: name, expected, got };
}

/** The violations of a schema by the value. */
function explain(site: Site, schema: JsonValue): readonly Violation[] {
  const violations: Violation[] = [];
  explainInto(violations, site, [schema]);
  return violations;
}

/**
 * Adds the violations of the schemas by the value to `told`, keyword by keyword and then part by part, a hundred at most:
 * what was found before the work became too much stays there.
 */
export function explainInto(told: Violation[], site: Site, schemas: Iterable<JsonValue>): void {
  const { scope, value, path } = site;
  const parts = new Map<string | number, Child[]>();
  for (const schema of applicable(scope, schemas, value, "required")) {
    if (told.length >= MOST_VIOLATIONS) return;
    if (schema === false) told.push(violation(site, "false", "nothing"));
    if (!isObject(schema)) continue;
    told.push(
      ...explainPlain(site, schema),
      ...explainRequired(site, schema),
      ...explainNames(site, schema),
      ...explainNot(site, schema),
      ...explainAnyOf(site, schema),
      ...explainOneOf(site, schema),
      ...explainContains(site, schema),
    );
    for (const child of failing(scope, schema, value))
      parts.set(child.key, [...(parts.get(child.key) ?? []), child]);
  }
  for (const [key, found] of parts) {
    if (told.length >= MOST_VIOLATIONS) return;
    explainPart(told, { scope, value: partOf(value, key), path: `${path}${pointer([key])}` }, found, value);
  }
}

/** The parts of the value that do not fit what this schema assigns to them. */
function failing(scope: Scope, schema: SchemaObject, value: JsonValue): readonly Child[] {
  const found = failingChildren(scope, schema, value, MOST_VIOLATIONS);
  const beyond = unevaluated(scope, schema, value).filter(
    (child) => !scope.holds(child.schema, partOf(value, child.key)),
  );
  return [...found, ...beyond.slice(0, MOST_VIOLATIONS)];
}

function explainPlain(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value } = site;
  scope.spend(PLAIN_KEYWORDS.size);
  return [...PLAIN_KEYWORDS].flatMap(([name, words]): readonly Violation[] => {
    const argument = keyword(schema, name);
    if (argument === undefined || scope.keywordHolds(schema, name, value)) return [];
    return [violation(site, name, words.expected(argument, scope.formats), words.got(value))];
  });
}

function explainContains(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value } = site;
  const inner = keyword(schema, "contains");
  if (inner === undefined || !Array.isArray(value)) return [];
  let found = 0;
  for (const item of value) if (scope.holds(inner, item)) found += 1;
  const least = Number(keyword(schema, "minContains") ?? 1);
  const most = Number(keyword(schema, "maxContains") ?? Infinity);
  if (found >= least && found <= most) return [];
  const name = found > most ? "maxContains" : least === 1 ? "contains" : "minContains";
  const bound = found > most ? `at most ${most}` : `at least ${least}`;
  const expected = `${bound} × ${schemaWords(inner, scope.formats)}`;
  return [violation(site, name, expected, `${found} of ${value.length} items`)];
}

function explainPart(told: Violation[], site: Site, found: readonly Child[], parent: JsonValue): void {
  for (const child of found) {
    if (child.schema !== false) continue;
    site.scope.spend(child.siblings.length);
    told.push(violation(site, child.keyword, extraWords(child, parent)));
  }
  const schemas = found.filter(({ schema }) => schema !== false).map(({ schema }) => schema);
  explainInto(told, site, schemas);
}

/** Missing properties, each at the place where it should be. */
function explainRequired(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  if (!isObject(value)) return [];
  const lacking = (
    names: JsonValue | undefined,
    name: string,
    words: (key: string) => string,
  ): readonly Violation[] =>
    textsOf(names)
      .filter((key) => !Object.hasOwn(value, key))
      .slice(0, MOST_VIOLATIONS)
      .map((key) => violation({ ...site, path: `${path}${pointer([key])}` }, name, words(key), "nothing"));
  const because = entriesAt(schema, "dependentRequired").filter(([key]) => Object.hasOwn(value, key));
  return [
    ...lacking(keyword(schema, "required"), "required", (key) => propertyWords(scope, schema, key)),
    ...because.flatMap(([cause, names]) =>
      lacking(names, "dependentRequired", () => `a value, as "${cause}" is present`),
    ),
  ];
}

function propertyWords(scope: Scope, schema: SchemaObject, key: string): string {
  const named = keyword(schema, "properties");
  const property = isObject(named) ? keyword(named, key) : undefined;
  if (property === undefined) return "a value";
  const ref = isObject(property) ? keyword(property, "$ref") : undefined;
  return schemaWords(typeof ref === "string" ? scope.target(ref) : property, scope.formats);
}

/** Property names that `propertyNames` refuses. */
function explainNames(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const inner = keyword(schema, "propertyNames");
  if (inner === undefined || !isObject(value)) return [];
  const refused = Object.keys(value).filter((key) => !scope.holds(inner, key));
  return refused.slice(0, MOST_VIOLATIONS).map((key) => {
    const reasons = explain({ scope, value: key, path: "" }, inner).map(({ expected }) => expected);
    const expected = `a property name that is ${reasons.join(" and ")}`;
    return { path: `${path}${pointer([key])}`, keyword: "propertyNames", expected, got: jsonWords(key) };
  });
}

/** What stands where nothing may stand, with the name that was probably meant. */
function extraWords(child: Child, parent: JsonValue): string {
  if (typeof child.key === "number") return "no further item";
  const known = child.siblings.filter((name) => !isObject(parent) || !Object.hasOwn(parent, name));
  const meant = child.keyword === "properties" ? null : suggest(child.key, known);
  return `no property "${child.key}"${meant === null ? "" : ` (did you mean "${meant}"?)`}`;
}

const SHOWN = 3;

/** Kinds of values that are named. */
const MANY_KINDS = 16;

/**
 * Parts of the value that are held against branches, all branches together. Thousands of variants and a value with
 * thousands of members would give millions of violations, of which three alternatives are shown.
 */
const WORK = 100_000;

/** Characters of JSON that make one part, roughly. */
const PART = 16;

function explainNot(site: Site, schema: SchemaObject): readonly Violation[] {
  const inner = keyword(schema, "not");
  if (inner === undefined || !site.scope.holds(inner, site.value)) return [];
  return [violation(site, "not", `anything but ${schemaWords(inner, site.scope.formats)}`)];
}

function explainAnyOf(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value } = site;
  const branches = listAt(schema, "anyOf");
  if (branches.length === 0 || branches.some((branch) => scope.holds(branch, value))) return [];
  return explainNone(site, "anyOf", branches);
}

function explainOneOf(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value } = site;
  const branches = listAt(schema, "oneOf");
  const fitting = branches.flatMap((branch, index) => (scope.holds(branch, value) ? [index + 1] : []));
  if (branches.length === 0 || fitting.length === 1) return [];
  if (fitting.length === 0) return explainNone(site, "oneOf", branches);
  const got = `${valueWords(value)}, which fits alternatives ${fitting.join(" and ")}`;
  return [violation(site, "oneOf", "exactly one alternative to fit", got)];
}

/**
 * Why no branch fits, without the noise of those that were never meant: the kinds in one line when the value is of
 * none of them; the violations of the one branch that the value was meant for; else the alternatives side by side.
 */
function explainNone(site: Site, name: string, branches: readonly JsonValue[]): readonly Violation[] {
  const { value, path } = site;
  const alternatives = affordable(branches, value).map((branch) => explain(site, branch));
  const meant = alternatives.filter((alternative) => !alternative.some((one) => isOtherKind(one, path)));
  if (meant.length === 0) {
    const kinds = alternatives.flatMap((alternative) => alternative.filter((one) => isOtherKind(one, path)));
    const named = [...new Set(kinds.map((one) => one.expected))];
    const others = named.length > MANY_KINDS ? `, or one of ${named.length - MANY_KINDS} more` : "";
    const expected = `${named.slice(0, MANY_KINDS).join(" or ")}${others}`;
    return [violation(site, name, expected)];
  }
  const tagged = meant.filter((alternative) => !alternative.some((one) => isOtherTag(one, path)));
  const [first, ...others] = tagged.length > 0 ? tagged : meant;
  if (first !== undefined && others.length === 0 && alternatives.length === branches.length) return first;
  const unseen = branches.length - alternatives.length;
  const expected = alternativesWords([first ?? [], ...others], unseen);
  return [violation(site, name, expected)];
}

/** The branches that are explained: all of them, unless that would take seconds. */
function affordable(branches: readonly JsonValue[], value: JsonValue): readonly JsonValue[] {
  const parts = 1 + JSON.stringify(value).length / PART;
  return branches.slice(0, Math.max(SHOWN, Math.floor(WORK / parts)));
}

function isOtherKind(told: Violation, path: string): boolean {
  return told.path === path && ["type", "const", "enum"].includes(told.keyword);
}

/** A property that tells the branches apart (`kind: "a"`) names another branch. */
function isOtherTag(told: Violation, path: string): boolean {
  const below = told.path.slice(path.length + 1);
  return told.keyword === "const" && below !== "" && !below.includes("/");
}

function alternativesWords(alternatives: readonly (readonly Violation[])[], unseen: number): string {
  const shown = alternatives.slice(0, SHOWN).map((one) => `(${one.map(violationMessage).join("; ")})`);
  const count = alternatives.length + unseen;
  const more = count > SHOWN ? `, or one of ${count - SHOWN} more` : "";
  return `one of ${count} alternatives, none of which fits: ${shown.join(", or ")}${more}`;
}
