import fc from "fast-check";

const plainName = fc.constantFrom(
  "steps",
  "start",
  "role",
  "output",
  "approved",
  "text",
  "list",
  "deep",
  "none",
  "missing",
  "constructor",
  "__proto__",
  "`a b`",
  "$",
);

const anyName = fc.oneof(plainName, fc.constantFrom("*", "**", "$$", "%"));

const literal = fc.oneof(
  fc.constantFrom(
    "true",
    "false",
    "null",
    "0",
    "1",
    "-1",
    "1e308",
    "0.1",
    "''",
    "'a'",
    '"\\u001b"',
    "[]",
    "{}",
    "[1, 'a', null]",
  ),
  fc.integer().map(String),
);

const OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "and", "or", "in", "+", "-", "*", "/", "%", "&"] as const;
const PLAIN_FUNCTIONS = [
  "$exists",
  "$not",
  "$boolean",
  "$count",
  "$type",
  "$sum",
  "$max",
  "$min",
  "$average",
  "$number",
  "$abs",
  "$lowercase",
  "$uppercase",
  "$trim",
] as const;

const FUNCTIONS = [
  ...PLAIN_FUNCTIONS,
  ...[
    "$string",
    "$length",
    "$substring",
    "$pad",
    "$split",
    "$join",
    "$match",
    "$replace",
    "$contains",
    "$keys",
    "$lookup",
  ],
  ...[
    "$append",
    "$reverse",
    "$sort",
    "$distinct",
    "$zip",
    "$map",
    "$filter",
    "$reduce",
    "$sift",
    "$each",
    "$spread",
    "$merge",
  ],
  ...[
    "$single",
    "$eval",
    "$now",
    "$random",
    "$formatNumber",
    "$formatBase",
    "$formatInteger",
    "$base64encode",
    "$error",
    "$assert",
  ],
] as const;

const regexPart = fc.constantFrom(
  "a",
  "b",
  ".",
  "\\w",
  "(a|aa)",
  "(a*)",
  "[^b]",
  "(?:x+x+)",
  "^",
  "$",
  "\\b",
  "(?=a)",
  "\\1",
  "{2,50}",
  "*",
  "+",
  "?",
  "+?",
  "é",
  "\\p{L}",
);

const regex = fc.array(regexPart, { minLength: 1, maxLength: 8 }).map((parts) => `/${parts.join("")}/`);

type Tie = { expression: string };

/** What is evaluated in our own process: paths, filters, comparisons, calls of harmless builtins. */
export const plainExpression: fc.Arbitrary<string> = fc.letrec<Tie>((tie) => {
  const inner = tie("expression");
  return {
    expression: fc.oneof(
      { depthSize: "small" },
      fc.array(plainName, { minLength: 1, maxLength: 4 }).map((names) => names.join(".")),
      literal,
      fc
        .tuple(inner, fc.constantFrom(...OPERATORS), inner)
        .map(([left, operator, right]) => `${left} ${operator} ${right}`),
      fc.tuple(inner, inner).map(([left, filter]) => `${left}[${filter}]`),
      fc
        .tuple(fc.constantFrom(...PLAIN_FUNCTIONS), inner)
        .map(([called, argument]) => `${called}(${argument})`),
      fc.tuple(inner, inner, inner).map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
      fc.tuple(inner, inner).map(([value, use]) => `($x := ${value}; ${use} = $x)`),
      fc.tuple(inner, inner).map(([list, test]) => `$filter(${list}, function($v) { ${test} })`),
    ),
  };
}).expression;

/** The whole language: lambdas, ranges, regexes, transforms, sorting, grouping, partial application, recursion. */
export const anyExpression: fc.Arbitrary<string> = fc.letrec<Tie>((tie) => {
  const inner = tie("expression");
  const list = fc.array(inner, { maxLength: 3 }).map((parts) => parts.join(", "));
  return {
    expression: fc.oneof(
      { depthSize: "small" },
      plainExpression,
      fc.array(anyName, { minLength: 1, maxLength: 4 }).map((names) => names.join(".")),
      fc.tuple(fc.constantFrom(...FUNCTIONS), list).map(([called, given]) => `${called}(${given})`),
      fc.tuple(inner, inner).map(([from, to]) => `[${from}..${to}]`),
      fc.nat({ max: 10_000_000 }).map((to) => `[1..${to}]`),
      fc.tuple(inner, inner).map(([left, right]) => `${left}.(${right})`),
      inner.map((body) => `function($x, $y) { ${body} }`),
      inner.map((body) => `($f := function($x) { ${body} & $f($x) }; $f(1))`),
      fc.tuple(inner, inner).map(([left, right]) => `${left} ~> ${right}`),
      fc.tuple(inner, inner).map(([value, key]) => `${value}^(>${key})`),
      fc.tuple(inner, inner, inner).map(([value, key, group]) => `${value}{${key}: ${group}}`),
      fc.tuple(inner, inner).map(([place, update]) => `$ ~> |${place}|${update}|`),
      fc.tuple(fc.constantFrom(...FUNCTIONS), inner).map(([called, argument]) => `${called}(?, ${argument})`),
      fc.tuple(inner, regex).map(([text, pattern]) => `$contains($string(${text}), ${pattern})`),
      fc.tuple(inner, fc.nat({ max: 2 ** 31 })).map(([text, length]) => `$pad(${text}, ${length})`),
    ),
  };
}).expression;
