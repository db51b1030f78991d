import type { JsonValue } from "../json.js";
import type { Violation } from "../problems.js";
import { violationMessage } from "../problems.js";
import { keyword, listOf, type SchemaObject } from "../schema.js";
import type { Site } from "./validate.js";
import { schemaWords, valueWords } from "./words.js";

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

type Alternative = readonly Violation[];

/** Violations of `not`, `anyOf` and `oneOf`. */
export function explainBranches(site: Site, schema: SchemaObject): readonly Violation[] {
  return [...explainNot(site, schema), ...explainAnyOf(site, schema), ...explainOneOf(site, schema)];
}

function explainNot(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const inner = keyword(schema, "not");
  if (inner === undefined || !scope.holds(inner, value)) return [];
  return [
    {
      path,
      keyword: "not",
      expected: `anything but ${schemaWords(inner, scope.formats)}`,
      got: valueWords(value),
    },
  ];
}

function explainAnyOf(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value } = site;
  const branches = listOf(keyword(schema, "anyOf"));
  if (branches.length === 0 || branches.some((branch) => scope.holds(branch, value))) return [];
  return explainNone(site, "anyOf", branches);
}

function explainOneOf(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const branches = listOf(keyword(schema, "oneOf"));
  const fitting = branches.flatMap((branch, index) => (scope.holds(branch, value) ? [index + 1] : []));
  if (branches.length === 0 || fitting.length === 1) return [];
  if (fitting.length === 0) return explainNone(site, "oneOf", branches);
  const got = `${valueWords(value)}, which fits alternatives ${fitting.join(" and ")}`;
  return [{ path, keyword: "oneOf", expected: "exactly one alternative to fit", got }];
}

/**
 * Why no branch fits, without the noise of those that were never meant: the kinds in one line when the value is of
 * none of them; the violations of the one branch that the value was meant for; else the alternatives side by side.
 */
function explainNone(site: Site, name: string, branches: readonly JsonValue[]): readonly Violation[] {
  const { scope, value, path } = site;
  const alternatives = affordable(branches, value).map((branch) =>
    site.explain(scope, [branch], value, path),
  );
  const meant = alternatives.filter((alternative) => !alternative.some((one) => isOtherKind(one, path)));
  if (meant.length === 0) {
    const kinds = alternatives.flatMap((alternative) => alternative.filter((one) => isOtherKind(one, path)));
    const named = [...new Set(kinds.map((one) => one.expected))];
    const others = named.length > MANY_KINDS ? `, or one of ${named.length - MANY_KINDS} more` : "";
    const expected = `${named.slice(0, MANY_KINDS).join(" or ")}${others}`;
    return [{ path, keyword: name, expected, got: valueWords(value) }];
  }
  const tagged = meant.filter((alternative) => !alternative.some((one) => isOtherTag(one, path)));
  const [first, ...others] = tagged.length > 0 ? tagged : meant;
  if (first !== undefined && others.length === 0 && alternatives.length === branches.length) return first;
  const unseen = branches.length - alternatives.length;
  const expected = alternativesWords([first ?? [], ...others], unseen);
  return [{ path, keyword: name, expected, got: valueWords(value) }];
}

/** The branches that are explained: all of them, unless that would take seconds. */
function affordable(branches: readonly JsonValue[], value: JsonValue): readonly JsonValue[] {
  const parts = 1 + JSON.stringify(value).length / PART;
  return branches.slice(0, Math.max(SHOWN, Math.floor(WORK / parts)));
}

function isOtherKind(violation: Violation, path: string): boolean {
  return violation.path === path && ["type", "const", "enum"].includes(violation.keyword);
}

/** A property that tells the branches apart (`kind: "a"`) names another branch. */
function isOtherTag(violation: Violation, path: string): boolean {
  const below = violation.path.slice(path.length + 1);
  return violation.keyword === "const" && below !== "" && !below.includes("/");
}

function alternativesWords(alternatives: readonly Alternative[], unseen: number): string {
  const shown = alternatives.slice(0, SHOWN).map((one) => `(${one.map(violationMessage).join("; ")})`);
  const count = alternatives.length + unseen;
  const more = count > SHOWN ? `, or one of ${count - SHOWN} more` : "";
  return `one of ${count} alternatives, none of which fits: ${shown.join(", or ")}${more}`;
}
