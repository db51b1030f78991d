import { expect, it } from "vitest";
import { mannersOf } from "../support/manners.js";

const said = { code: 0, stdout: "", stderr: "" };
const error = "error[USAGE]: no\nhint: do\n";

it.each([
  ["an escape sequence on stdout", { ...said, stdout: "\u001b[31m" }],
  ["a C1 control on stderr", { ...said, stderr: "\u009b2J" }],
  ["a bug", { ...said, code: 1, stderr: error }],
  ["a death", { ...said, code: null }],
  ["half an answer before an error", { ...said, code: 2, stdout: "{", stderr: error }],
  ["an error without a hint", { ...said, code: 2, stderr: "error[USAGE]: no\n" }],
  ["a stack trace", { ...said, code: 2, stderr: `${error}    at main (/a/b.js:1:2)\n` }],
])("what no command may do is seen: %s", (_name, ran) => {
  expect(mannersOf(["thread", "list"], ran)).not.toEqual([]);
});

it("a clear error has none of it", () => {
  expect(mannersOf(["thread", "list"], { ...said, code: 2, stderr: error })).toEqual([]);
});
