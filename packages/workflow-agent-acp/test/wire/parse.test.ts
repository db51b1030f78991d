import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMessage } from "../../src/connection.js";

describe("a line of an agent", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"a":1}}', { kind: "result", id: 1, value: { a: 1 } }],
    ['{"id":1,"result":null}', { kind: "result", id: 1, value: null }],
    [
      '{"id":2,"error":{"code":-32000,"message":"no","data":{"x":1}}}',
      { kind: "error", id: 2, error: { code: -32_000, message: "no", data: '{"x":1}' } },
    ],
    ['{"id":2,"error":{}}', { kind: "error", id: 2, error: { code: 0, message: "no message", data: null } }],
    ['{"id":"q","method":"m","params":{"a":1}}', { kind: "request", id: "q", method: "m", params: { a: 1 } }],
    ['{"id":null,"method":"m"}', { kind: "request", id: null, method: "m", params: {} }],
    ['  {"method":"m","params":[1]}', { kind: "notification", method: "m", params: {} }],
  ])("is a message of the protocol: %s", (line, message) => expect(parseMessage(line)).toEqual(message));

  it.each(["", "hello", "[]", "{", "{}", '{"id":1}', '{"id":"1","result":1}', "null", '{"result":1}'])(
    "is a log's otherwise: %s",
    (line) => expect(parseMessage(line)).toEqual({ kind: "noise" }),
  );

  it("never throws", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => parseMessage(line).kind !== undefined));
  });
});
