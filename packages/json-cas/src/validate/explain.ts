import type { Violation } from "../fault/index.js";
import type { JsonValue } from "../node/index.js";
import { isObject, keyword, type SchemaObject } from "../schema/index.js";
import { pointer } from "../storable/index.js";
import { applicable, type Child, children, partOf, unevaluated } from "./applicable.js";
import { explainBranches } from "./branches.js";
import { explainNames, explainRequired, extraWords } from "./objects.js";
import { PLAIN_KEYWORDS } from "./plain-keywords.js";
import type { Scope } from "./scope.js";
import type { Site } from "./site.js";
import { schemaWords, valueWords } from "./words.js";

/** All violations of the schemas by the value at `path`, keyword by keyword and then part by part. */
export function explain(
  scope: Scope,
  schemas: Iterable<JsonValue>,
  value: JsonValue,
  path: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  const parts = new Map<string | number, Child[]>();
  for (const schema of applicable(scope, schemas, value, "required")) {
    if (schema === false)
      violations.push({ path, keyword: "false", expected: "nothing", got: valueWords(value) });
    if (!isObject(schema)) continue;
    violations.push(...explainHere({ scope, value, path, explain }, schema));
    for (const child of [...children(scope, schema, value), ...unevaluated(scope, schema, value)]) {
      parts.set(child.key, [...(parts.get(child.key) ?? []), child]);
    }
  }
  for (const [key, found] of parts)
    violations.push(...explainPart(scope, found, value, `${path}${pointer([key])}`));
  return violations;
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
  return [...PLAIN_KEYWORDS].flatMap(([name, words]): readonly Violation[] => {
    const argument = keyword(schema, name);
    if (argument === undefined || scope.holds({ [name]: argument }, value)) return [];
    return [{ path, keyword: name, expected: words.expected(argument), got: words.got(value) }];
  });
}

function explainContains(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const inner = keyword(schema, "contains");
  if (inner === undefined || !Array.isArray(value)) return [];
  const found = value.filter((item) => scope.holds(inner, item)).length;
  const least = Number(keyword(schema, "minContains") ?? 1);
  const most = Number(keyword(schema, "maxContains") ?? Infinity);
  if (found >= least && found <= most) return [];
  const name = found > most ? "maxContains" : least === 1 ? "contains" : "minContains";
  const bound = found > most ? `at most ${most}` : `at least ${least}`;
  return [
    {
      path,
      keyword: name,
      expected: `${bound} × ${schemaWords(inner)}`,
      got: `${found} of ${value.length} items`,
    },
  ];
}

function explainPart(
  scope: Scope,
  found: readonly Child[],
  parent: JsonValue,
  path: string,
): readonly Violation[] {
  const value = partOf(parent, found[0]?.key ?? "");
  const refused = found.filter(({ schema }) => schema === false);
  const schemas = found.filter(({ schema }) => schema !== false).map(({ schema }) => schema);
  return [
    ...refused.map((child) => ({
      path,
      keyword: child.keyword,
      ...extraWords(child, parent),
      got: valueWords(value),
    })),
    ...explain(scope, schemas, value, path),
  ];
}
