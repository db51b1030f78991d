import { describe, expect, it } from "vitest";
import { type ChildEnd, describeEnd } from "../../src/process/index.js";

describe("how a program ended, after its name", () => {
  it.each<[ChildEnd, string]>([
    [{ kind: "exited", code: 3 }, "exited with 3"],
    [{ kind: "signaled", signal: "SIGSEGV" }, "was ended by SIGSEGV"],
    [{ kind: "aborted", signal: "SIGINT" }, "was interrupted by SIGINT"],
    [{ kind: "timeout", limit: "wall" }, "took too long and was ended"],
    [{ kind: "timeout", limit: "idle" }, "sent nothing for too long and was ended"],
    [{ kind: "ended-after-result" }, "was ended"],
    [{ kind: "not-startable", reason: "not executable" }, "could not be started: not executable"],
    [
      { kind: "io-failed", operation: "open", path: "/x", errno: "EMFILE", reason: "too many open files" },
      "could not be started: too many open files",
    ],
  ])("%o", (end, sentence) => {
    expect(describeEnd(end)).toBe(sentence);
  });
});
