import { describe, expect, it } from "vitest";
import { CasError, checkStorable, decodeNode, encodeNode, freezeCopy, type Hash } from "../../src/index.js";

function nested(depth: number): unknown[] {
  let value: unknown[] = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}

function faultOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof CasError ? error.fault : error;
  }
}

describe("a value that cannot be stored", () => {
  it("is refused with the place and the reason", () => {
    const fault = { code: "NOT_STORABLE", path: "/a/1", reason: "undefined is not JSON" };
    expect(faultOf(() => freezeCopy({ a: [1, undefined] }))).toEqual(fault);
    expect(faultOf(() => checkStorable({ a: [1, undefined] }))).toEqual(fault);
  });
});

it("a payload of 128 levels fits into a node, one of 129 does not", () => {
  const type = "4BDH115W39MQD" as Hash;
  const node = { type, payload: nested(128) as never, timestamp: 0 };
  expect(decodeNode(encodeNode(node))).toEqual(node);
  expect(faultOf(() => encodeNode({ ...node, payload: nested(129) as never }))).toMatchObject({
    code: "NOT_STORABLE",
  });
});

it("a schema may name cas_ref, and a hash is what it asks for", async () => {
  const { checkSchema, validatePayload, violationMessage } = await import("../../src/index.js");
  expect(checkSchema({ format: "cas_ref" })).toEqual([]);
  expect(validatePayload({ format: "cas_ref" }, "4BDH115W39MQD")).toEqual([]);
  expect(validatePayload({ format: "cas_ref" }, "4bdh115w39mqd").map(violationMessage)).toEqual([
    'the value: expected a hash of a node (13 characters), got "4bdh115w39mqd" (format)',
  ]);
});
