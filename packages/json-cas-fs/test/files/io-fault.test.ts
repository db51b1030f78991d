import { CasError } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { ioFault } from "../../src/index.js";
import { errnoError } from "../support/fs-calls.js";

describe("ioFault", () => {
  it("takes the system's own words without call and paths", () => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/a, b/c'"), { code: "EACCES" });
    expect(ioFault("write", "/a, b/c", error).fault).toEqual({
      code: "IO_FAILED",
      operation: "write",
      path: "/a, b/c",
      errno: "EACCES",
      reason: "permission denied",
    });
  });

  it("keeps a CasError", () => {
    const inner = ioFault("read", "/a", errnoError("EIO", "read"));
    expect(ioFault("write", "/b", inner)).toBe(inner);
    expect(inner).toBeInstanceOf(CasError);
  });

  it("throws a bug on", () => {
    expect(() => ioFault("write", "/b", new TypeError("x is undefined"))).toThrowError(TypeError);
  });
});
