import { type JsonObject, referred } from "@uncaged/json-cas";
import { gather, typesOf } from "@uncaged/json-schema";
import { describe, expect, it } from "vitest";

const ROOT: JsonObject = {
  $defs: { "a/b": { title: "slash" }, named: { $anchor: "here", title: "anchor" } },
  prefixItems: [{ title: "first" }],
};

describe("a local reference", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["#", ROOT],
    ["#/$defs/a~1b", { title: "slash" }],
    ["#/%24defs/a~1b", { title: "slash" }],
    ["#/prefixItems/0", { title: "first" }],
    ["#here", { $anchor: "here", title: "anchor" }],
    ["#/$defs/none", undefined],
    ["#/$defs/toString", undefined],
    ["#nowhere", undefined],
    ["https://example.com/schema", undefined],
  ];

  for (const [ref, found] of cases) {
    it(`${ref} is followed`, () => expect(referred(ROOT, ref)).toEqual(found));
  }
});

describe("the parts of a schema", () => {
  it("are joined through $ref and allOf, and a reference into itself ends", () => {
    const root: JsonObject = {
      $defs: { t: { allOf: [{ $ref: "#/$defs/t" }, { type: "integer" }] } },
      $ref: "#/$defs/t",
      type: "number",
    };
    const { conjuncts, refs } = gather(root, root);
    expect(refs).toEqual(["#/$defs/t"]);
    expect(typesOf(conjuncts)).toEqual(["integer"]);
  });

  it("say it when nothing can be valid", () => {
    expect(gather({}, { allOf: [{}, false] }).impossible).toBe(true);
  });

  it("have no type in common where theirs exclude each other", () => {
    expect(typesOf([{ type: "string" }, { type: ["object", "null"] }])).toEqual([]);
  });
});
