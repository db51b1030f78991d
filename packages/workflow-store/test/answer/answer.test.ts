import { describe, expect, it } from "vitest";
import { withAnswerFields } from "../../src/index.js";

const FACTS = { by: "sam", at: 1_700_000_000_000, timedOut: true };
const TEXT = { type: "string" };

describe("withAnswerFields", () => {
  it("adds only what the role's meta declares", () => {
    const answer = { ok: true };
    expect(withAnswerFields({ properties: { ok: {} } }, answer, FACTS)).toEqual(answer);
    expect(withAnswerFields({ properties: { answeredBy: TEXT } }, answer, FACTS)).toEqual({
      ok: true,
      answeredBy: "sam",
    });
    expect(withAnswerFields({ properties: { timedOut: {} } }, answer, FACTS)).toEqual({
      ok: true,
      timedOut: true,
    });
  });

  it("keeps what the answer says itself", () => {
    const properties = { answeredBy: TEXT, answeredAt: TEXT, timedOut: {} };
    const answer = { answeredBy: "kim", answeredAt: "noon", timedOut: null };
    expect(withAnswerFields({ properties }, answer, FACTS)).toEqual(answer);
  });

  it.each([
    [{ type: "integer" }, FACTS.at],
    [{ type: "number" }, FACTS.at],
    [TEXT, "2023-11-14T22:13:20.000Z"],
    [{}, "2023-11-14T22:13:20.000Z"],
    [true, "2023-11-14T22:13:20.000Z"],
  ])("gives the time as %j has it", (answeredAt, time) => {
    expect(withAnswerFields({ properties: { answeredAt } }, {}, FACTS)).toEqual({ answeredAt: time });
  });

  it.each([true, false, null, [], {}, { properties: null }, { properties: [] }])(
    "adds nothing for the meta %j",
    (meta) => {
      expect(withAnswerFields(meta, { ok: 1 }, FACTS)).toEqual({ ok: 1 });
    },
  );
});
