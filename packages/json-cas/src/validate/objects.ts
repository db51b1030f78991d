import type { Violation } from "../fault/index.js";
import { suggest } from "../names/index.js";
import type { JsonValue } from "../node/index.js";
import { entriesOf, isObject, keyword, type SchemaObject, textsOf } from "../schema/index.js";
import { pointer } from "../storable/index.js";
import type { Child } from "./applicable.js";
import type { Scope } from "./scope.js";
import type { Site } from "./site.js";
import { jsonWords, schemaWords } from "./words.js";

/** More than anybody reads. */
const MOST_NAMES = 100;

/** Missing properties, each at the place where it should be. */
export function explainRequired(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  if (!isObject(value)) return [];
  const missing = (key: string): boolean => !Object.hasOwn(value, key);
  const always = textsOf(keyword(schema, "required")).filter(missing);
  const because = entriesOf(keyword(schema, "dependentRequired")).filter(([key]) =>
    Object.hasOwn(value, key),
  );
  return [
    ...always
      .slice(0, MOST_NAMES)
      .map((key) => lacks(path, key, "required", propertyWords(scope, schema, key))),
    ...because.flatMap(([cause, names]) =>
      textsOf(names)
        .filter(missing)
        .slice(0, MOST_NAMES)
        .map((key) => lacks(path, key, "dependentRequired", `a value, as "${cause}" is present`)),
    ),
  ];
}

function lacks(path: string, key: string, name: string, expected: string): Violation {
  return { path: `${path}${pointer([key])}`, keyword: name, expected, got: "nothing" };
}

function propertyWords(scope: Scope, schema: SchemaObject, key: string): string {
  const named = keyword(schema, "properties");
  const property = isObject(named) ? keyword(named, key) : undefined;
  if (property === undefined) return "a value";
  const ref = isObject(property) ? keyword(property, "$ref") : undefined;
  return schemaWords(typeof ref === "string" ? scope.target(ref) : property);
}

/** Property names that `propertyNames` refuses. */
export function explainNames(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const inner = keyword(schema, "propertyNames");
  if (inner === undefined || !isObject(value)) return [];
  const refused = Object.keys(value).filter((key) => !scope.holds(inner, key));
  return refused.slice(0, MOST_NAMES).map((key) => {
    const reasons = site.explain(scope, [inner], key, "").map(({ expected }) => expected);
    const expected = `a property name that is ${reasons.join(" and ")}`;
    return { path: `${path}${pointer([key])}`, keyword: "propertyNames", expected, got: jsonWords(key) };
  });
}

/** What stands where nothing may stand, with the name that was probably meant. */
export function extraWords(child: Child, parent: JsonValue): Pick<Violation, "expected"> {
  if (typeof child.key === "number") return { expected: "no further item" };
  const known = child.siblings.filter((name) => !isObject(parent) || !Object.hasOwn(parent, name));
  const meant = child.keyword === "properties" ? null : suggest(child.key, known);
  return { expected: `no property "${child.key}"${meant === null ? "" : ` (did you mean "${meant}"?)`}` };
}
