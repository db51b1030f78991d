import type { JsonValue } from "../json.js";
import { isObject, pointer } from "../json.js";
import type { Violation } from "../problems.js";
import { keyword, type SchemaObject } from "../schema.js";
import {
  applicable,
  type Child,
  explainNames,
  explainRequired,
  extraWords,
  failingChildren,
  partOf,
  unevaluated,
} from "./applicators.js";
import { explainBranches } from "./branches.js";
import { PLAIN_KEYWORDS } from "./keywords.js";
import type { Scope } from "./scope.js";
import type { Site } from "./validate.js";
import { schemaWords, valueWords } from "./words.js";

/** No person reads more about one value. */
export const MOST_VIOLATIONS = 100;

/** The violations of the schemas by the value at `path`, keyword by keyword and then part by part, a hundred at most. */
export function explain(
  scope: Scope,
  schemas: Iterable<JsonValue>,
  value: JsonValue,
  path: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  explainInto(violations, scope, schemas, value, path);
  return violations;
}

/** The same, added to `told`: what was found before the work became too much stays there. */
export function explainInto(
  told: Violation[],
  scope: Scope,
  schemas: Iterable<JsonValue>,
  value: JsonValue,
  path: string,
): void {
  const parts = new Map<string | number, Child[]>();
  for (const schema of applicable(scope, schemas, value, "required")) {
    if (told.length >= MOST_VIOLATIONS) return;
    if (schema === false) told.push({ path, keyword: "false", expected: "nothing", got: valueWords(value) });
    if (!isObject(schema)) continue;
    told.push(...explainHere({ scope, value, path, explain }, schema));
    for (const child of failing(scope, schema, value)) {
      const known = parts.get(child.key);
      if (known === undefined) parts.set(child.key, [child]);
      else known.push(child);
    }
  }
  for (const [key, found] of parts) {
    if (told.length >= MOST_VIOLATIONS) return;
    explainPart(told, scope, found, value, `${path}${pointer([key])}`);
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

function explainHere(site: Site, schema: SchemaObject): readonly Violation[] {
  return [
    ...explainPlain(site, schema),
    ...explainRequired(site, schema),
    ...explainNames(site, schema),
    ...explainBranches(site, schema),
    ...explainContains(site, schema),
  ];
}

function explainPlain(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  scope.spend(PLAIN_KEYWORDS.size);
  return [...PLAIN_KEYWORDS].flatMap(([name, words]): readonly Violation[] => {
    const argument = keyword(schema, name);
    if (argument === undefined || scope.keywordHolds(schema, name, value)) return [];
    return [
      { path, keyword: name, expected: words.expected(argument, scope.formats), got: words.got(value) },
    ];
  });
}

function explainContains(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const inner = keyword(schema, "contains");
  if (inner === undefined || !Array.isArray(value)) return [];
  let found = 0;
  for (const item of value) if (scope.holds(inner, item)) found += 1;
  const least = Number(keyword(schema, "minContains") ?? 1);
  const most = Number(keyword(schema, "maxContains") ?? Infinity);
  if (found >= least && found <= most) return [];
  const name = found > most ? "maxContains" : least === 1 ? "contains" : "minContains";
  const bound = found > most ? `at most ${most}` : `at least ${least}`;
  return [
    {
      path,
      keyword: name,
      expected: `${bound} × ${schemaWords(inner, scope.formats)}`,
      got: `${found} of ${value.length} items`,
    },
  ];
}

function explainPart(
  told: Violation[],
  scope: Scope,
  found: readonly Child[],
  parent: JsonValue,
  path: string,
): void {
  const value = partOf(parent, found[0]?.key ?? "");
  for (const child of found) {
    if (child.schema !== false) continue;
    scope.spend(child.siblings.length);
    told.push({ path, keyword: child.keyword, ...extraWords(child, parent), got: valueWords(value) });
  }
  const schemas = found.filter(({ schema }) => schema !== false).map(({ schema }) => schema);
  explainInto(told, scope, schemas, value, path);
}
