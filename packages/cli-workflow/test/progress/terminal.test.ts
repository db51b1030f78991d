import { closeSync, openSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isTerminal } from "../../src/terminal.js";

afterEach(() => vi.restoreAllMocks());

describe("a file descriptor", () => {
  it.each(["/dev/null", import.meta.filename])("of %s is no terminal, and node:tty is not asked", (path) => {
    const load = vi.spyOn(process, "getBuiltinModule");
    const fd = openSync(path, "r");
    expect(isTerminal(fd)).toBe(false);
    closeSync(fd);
    expect(load).not.toHaveBeenCalled();
  });

  it("that is closed is none", () => {
    expect(isTerminal(999)).toBe(false);
  });

  it("of another character device is not taken for one", () => {
    const fd = openSync("/dev/zero", "r");
    expect(isTerminal(fd)).toBe(false);
    closeSync(fd);
  });
});
