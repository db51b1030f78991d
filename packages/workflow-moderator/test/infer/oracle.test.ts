import fc from "fast-check";
import jsonata from "jsonata";
import { describe, expect, it } from "vitest";
import { IF_WHOLE, WHOLE } from "../../../json-cas-fs/test/support/runtimes.js";
import type { Jsonata } from "../../src/engine/index.js";
import { parseExpression } from "../../src/expression.js";
import { contextsOf, infer } from "../../src/infer/index.js";
import { authored } from "../support/index.js";

// What the inference says is held against what jsonata gives for outputs that fit the schemas.

type Meta = Parameters<typeof authored>[0][string];

/** A schema and values that fit it. */
type Kind = { readonly schema: object; readonly value: fc.Arbitrary<unknown> };

const NAMES = ["a", "b", "c", "status"];
const TEXTS = ["x", "y", "z", "true", ""];

const scalar: fc.Arbitrary<Kind> = fc.oneof(
  fc.constant({ schema: { type: "boolean" }, value: fc.boolean() }),
  fc.constant({ schema: { type: "string" }, value: fc.constantFrom(...TEXTS) }),
  fc
    .uniqueArray(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 3 })
    .map((texts) => ({ schema: { type: "string", enum: texts }, value: fc.constantFrom(...texts) })),
  fc.tuple(fc.integer({ min: -2, max: 2 }), fc.nat({ max: 3 })).map(([minimum, more]) => ({
    schema: { type: "integer", minimum, maximum: minimum + more },
    value: fc.integer({ min: minimum, max: minimum + more }),
  })),
  fc.constant({ schema: { type: ["string", "null"] }, value: fc.constantFrom("x", null) }),
  fc.constant({ schema: { enum: ["x", 1, true, null] }, value: fc.constantFrom("x", 1, true, null) }),
  fc.constant({ schema: {}, value: fc.constantFrom("x", 1, false, null, ["x"], { a: 1 }) }),
  fc.constant({ schema: { const: "y" }, value: fc.constant("y") }),
);

const { kind } = fc.letrec<{ kind: Kind; object: Kind }>((tie) => ({
  kind: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: tie("object") },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("kind"), fc.nat({ max: 2 })).map(([item, min]) => listKind(item, min)),
    },
    { weight: 1, arbitrary: fc.tuple(tie("kind"), tie("kind")).map(([a, b]) => unionKind(a, b)) },
  ),
  object: fields(tie("kind")),
}));
const objects = fields(kind);

function fields(inner: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> {
  return fc
    .tuple(
      fc.dictionary(fc.constantFrom(...NAMES), fc.tuple(inner, fc.boolean()), { minKeys: 1, maxKeys: 4 }),
      fc.boolean(),
    )
    .map(([entries, closed]) => {
      const required = Object.keys(entries).filter((name) => entries[name]?.[1]);
      const properties = Object.fromEntries(
        Object.entries(entries).map(([name, [{ schema }]]) => [name, schema]),
      );
      const value = fc.record(
        Object.fromEntries(Object.entries(entries).map(([name, [each]]) => [name, each.value])),
        { requiredKeys: required },
      );
      return {
        schema: { type: "object", properties, required, ...(closed ? { additionalProperties: false } : {}) },
        value,
      };
    });
}

function listKind({ schema, value }: Kind, min: number): Kind {
  return {
    schema: { type: "array", items: schema, minItems: min, maxItems: min + 2 },
    value: fc.array(value, { minLength: min, maxLength: min + 2 }),
  };
}

function unionKind(a: Kind, b: Kind): Kind {
  return { schema: { anyOf: [a.schema, b.schema] }, value: fc.oneof(a.value, b.value) };
}

const name = fc.constantFrom(...NAMES, ...NAMES, "q");
const ROLES = ["one", "two"];
const step = fc.constantFrom(
  ...["steps[-1]", "steps[-1]", "steps[-1]", "steps[0]", "steps[-2]", "steps", "$$.steps[-1]", "$.steps[-1]"],
  ...["steps[role='one']", "steps[role='two'][-1]", "steps[role != 'one']", "steps[output.a = 'x']"],
  ...["steps[output.status][0]", "steps[role='one' and output.b > 0]", "steps^(role)", "$reverse(steps)[0]"],
  "$filter(steps, function($s) { $s.role = 'one' })",
);
const path = fc.oneof(
  fc
    .tuple(step, fc.array(name, { maxLength: 3 }))
    .map(([from, names]) => [`${from}.output`, ...names].join(".")),
  fc.tuple(step, name, name).map(([from, a, b]) => `${from}.output.${a}[${b} = 'x']`),
  fc.tuple(step, name, fc.constantFrom("0", "-1", "1")).map(([from, a, i]) => `${from}.output.${a}[${i}]`),
  step.map((from) => `${from}.role`),
  fc.tuple(step, name).map(([from, a]) => `${from}.output.(${a} = 'x')`),
  fc.constantFrom("start.prompt", "steps", "start", "steps.output.a", "steps.output"),
);
const literal = fc.constantFrom(
  "'x'",
  "'y'",
  "true",
  "false",
  "1",
  "0",
  "-1",
  "null",
  "'one'",
  "''",
  "'true'",
);
const BODIES = ["$v", "$v = 'x'", "$v.a", "$v.output.a", "$v.role = 'one'", "$not($v)", "$string($v)"];
const FOLDS = ["$a + $v", "$a and $v", "$v", "$a", "$a & 'x'", "$v = 'x' ? $a : $v"];
const compare = fc.constantFrom("=", "!=", "<", "<=", ">", ">=", "in");

const { condition } = fc.letrec<{ operand: string; condition: string }>((tie) => ({
  operand: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    path,
    path,
    literal,
    fc
      .tuple(
        fc.constantFrom(
          "$count",
          "$exists",
          "$not",
          "$boolean",
          "$string",
          "$type",
          "$sum",
          "$length",
          "$number",
          "$distinct",
          "$lowercase",
          "$max",
          "$spread",
          "$keys",
          "$merge",
          "$zip",
          "$sort",
          "$clone",
        ),
        path,
      )
      .map(([f, x]) => `${f}(${x})`),
    fc.tuple(path, fc.constantFrom("+", "&", "-"), literal).map((parts) => `(${parts.join(" ")})`),
    fc.array(literal, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc.tuple(path, fc.constantFrom(...BODIES)).map(([x, body]) => `$map(${x}, function($v) { ${body} })`),
    fc.tuple(path, fc.constantFrom(...BODIES)).map(([x, body]) => `$filter(${x}, function($v) { ${body} })`),
    fc.tuple(path, fc.constantFrom(...BODIES)).map(([x, body]) => `$single(${x}, function($v) { ${body} })`),
    fc
      .tuple(path, fc.constantFrom(...BODIES))
      .map(([x, body]) => `$each(${x}, function($v, $k) { ${body} })`),
    fc
      .tuple(path, fc.constantFrom(...FOLDS), fc.constantFrom("", ", 0", ", true", ", 'x'"))
      .map(([x, body, first]) => `$reduce(${x}, function($a, $v) { ${body} }${first})`),
    fc.tuple(path, path).map(([x, y]) => `$append(${x}, ${y})`),
    fc.tuple(path, name).map(([x, y]) => `$lookup(${x}, '${y}')`),
    fc
      .tuple(path, fc.constantFrom("/x/", "$string", "$count", "$lowercase", "function($v) { $v = 'x' }"))
      .map(([x, f]) => `(${x} ~> ${f})`),
    fc.tuple(path, literal).map(([x, y]) => `(${x} ?? ${y})`),
    fc.tuple(path, literal).map(([x, y]) => `(${x} ?: ${y})`),
    fc.tuple(path, path).map(([x, y]) => `($v := ${x}; $v = ${y})`),
    fc.tuple(tie("condition"), path, literal).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
  ),
  condition: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    {
      weight: 5,
      arbitrary: fc.tuple(tie("operand"), compare, tie("operand")).map((parts) => parts.join(" ")),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          path,
          fc.constantFrom("=", "!="),
          literal,
          fc.constantFrom("and", "or"),
          path,
          fc.constantFrom("=", "!="),
          literal,
        )
        .map((parts) => parts.join(" ")),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("condition"), fc.constantFrom("and", "or"), tie("condition"))
        .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    },
    { weight: 1, arbitrary: tie("condition").map((inner) => `$not(${inner})`) },
    { weight: 1, arbitrary: fc.tuple(path, tie("condition")).map(([x, y]) => `$exists(${x}) and ${y}`) },
    { weight: 1, arbitrary: tie("operand") },
    // The same path twice: what one part says about it counts in the other.
    {
      weight: 3,
      arbitrary: fc
        .tuple(path, compare, literal, fc.constantFrom("and", "or"), compare, literal)
        .map(([x, a, l, op, b, m]) => `${x} ${a} ${l} ${op} ${x} ${b} ${m}`),
    },
  ),
}));

const cases = fc.tuple(objects, objects).chain(([one, two]) =>
  fc.record({
    metas: fc.constant([one.schema, two.schema]),
    text: condition,
    last: fc.constantFrom("one", "two", "none"),
    histories: fc.array(
      fc.tuple(
        fc.array(
          fc.oneof(
            one.value.map((output) => ["one", output]),
            two.value.map((output) => ["two", output]),
          ),
          { maxLength: 3 },
        ),
        one.value,
        two.value,
      ),
      { minLength: 6, maxLength: 6 },
    ),
  }),
);

describe("what is inferred about a condition", () => {
  it(`never contradicts what jsonata gives for outputs that fit the schemas${IF_WHOLE}`, async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ metas, text, last, histories }) => {
        const parsed = parseExpression(jsonata as unknown as Jsonata, text);
        if (!parsed.ok) return;
        const roles = { one: metas[0] as Meta, two: metas[1] as Meta };
        const contexts = contextsOf(authored(roles, {}, {}));
        const after = last === "none" ? { kind: "none" as const } : { kind: "role" as const, role: last };
        const { whole, canBeTrue } = infer(text, parsed.value.ast, contexts.after(after), ROLES);
        if (whole !== null) told += 1;
        for (const [before, one, two] of histories) {
          const tail = last === "one" ? [["one", one]] : last === "two" ? [["two", two]] : [];
          const steps = (last === "none" ? [] : [...before, ...tail]).map(([role, output]) => ({
            role,
            output,
            detail: "D",
            agent: "A",
          }));
          const input = { start: { workflow: "W", prompt: "x" }, steps };
          const given = await outcome(text, input);
          const shown = `${text}\n${JSON.stringify(metas)}\n${JSON.stringify(steps)} gives ${JSON.stringify(given) ?? "nothing"}, told ${JSON.stringify(whole)}`;
          if (!canBeTrue) expect(given, shown).not.toBe(true);
          if (whole?.code === "never-true") expect(given, shown).not.toBe(true);
          if (whole?.code === "always-true") expect([true, "threw"], shown).toContain(given);
          if (whole?.code === "not-boolean") expect(typeof given, shown).not.toBe("boolean");
        }
      }),
      { numRuns: WHOLE ? 1500 : 300 },
    );
    expect(told).toBeGreaterThan(WHOLE ? 50 : 10);
  }, 120_000);
});

async function outcome(text: string, input: unknown): Promise<unknown> {
  try {
    return (await jsonata(text).evaluate(input)) as unknown;
  } catch {
    return "threw";
  }
}
