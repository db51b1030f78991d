import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, to } from "../support/index.js";

const META = {
  type: "object",
  required: ["approved", "status", "score"],
  properties: {
    approved: { type: "boolean" },
    status: { enum: ["ok", "bad", "unsure"] },
    score: { type: "number" },
    final: { type: "boolean" },
  },
};

function codes(...expressions: readonly string[]) {
  const conditions = Object.fromEntries(expressions.map((expression, i) => [`c${i}`, expression]));
  const transitions = Object.keys(conditions).map((name) => ["$END", name] as const);
  const graph = { $START: to(["reviewer", null]), reviewer: to(...transitions) };
  return checkWorkflow(authored({ reviewer: META }, conditions, graph)).map(({ code }) => code);
}

const APPROVED = "steps[-1].output.approved";
const STATUS = "steps[-1].output.status";
const OFTEN = "$count(steps[role = 'reviewer'])";

describe("transitions without a fallback", () => {
  it.each([
    [APPROVED, `$not(${APPROVED})`],
    [`${APPROVED} = true`, `${APPROVED} = false`],
    [`${APPROVED} = false`, `${APPROVED} != false`],
    [APPROVED, `${APPROVED} = false`],
    [`$not(${APPROVED}) and ${OFTEN} > 3`, APPROVED, `$not(${APPROVED})`],
    [`${STATUS} = 'ok'`, `${STATUS} = 'bad'`, `${STATUS} = 'unsure'`],
    [`${STATUS} = 'ok'`, `${STATUS} in ['bad', 'unsure']`],
    [`${OFTEN} < 3`, `${OFTEN} >= 3`],
    ["steps[-1].output.score > 5", "steps[-1].output.score <= 5"],
    [`${OFTEN} < 3`, `$not(${OFTEN} < 3)`],
    ["start.prompt = 'x'", "start.prompt != 'x'"],
  ])("need none if one of the conditions is always true: %s, %s", (...expressions) => {
    expect(codes(...expressions)).toEqual([]);
  });

  it.each([
    [`${STATUS} = 'ok'`, `${STATUS} = 'bad'`],
    [APPROVED, APPROVED],
    [`${APPROVED} and ${OFTEN} > 3`, `$not(${APPROVED})`],
    [`${APPROVED} and ${OFTEN} < 3`, `${APPROVED} and ${OFTEN} >= 3`],
    [`${OFTEN} > 3`, `${OFTEN} < 3`],
  ])("are warned about if all may be false: %s, %s", (...expressions) => {
    expect(codes(...expressions)).toContain("no-fallback");
  });

  it("are warned about if the field is not required: then both are false", () => {
    const final = "steps[-1].output.final";
    expect(codes(final, `$not(${final})`)).toContain("no-fallback");
    expect(codes(`${final} = true`, `${final} != true`)).toContain("no-fallback");
  });
});
