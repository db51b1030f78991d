import { describe, expect, it } from "vitest";

describe("the package", () => {
  it("exports exactly this", async () => {
    expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
      "asThreadId",
      "childPipe",
      "codeCacheFolder",
      "createLogger",
      "createRedactor",
      "definedOnly",
      "endRun",
      "escapeControls",
      "findFrontmatter",
      "frontmatterSentence",
      "hasControls",
      "hasThreadIdPart",
      "ioFailed",
      "isThreadIdPart",
      "makeCgroup",
      "newThreadId",
      "packageVersion",
      "parseFrontmatterBlock",
      "parseFrontmatterMarkdown",
      "parseThreadId",
      "removeCgroup",
      "resolveCommand",
      "runChild",
      "runMembers",
      "sanitizeStream",
      "sanitizeTerminal",
      "signalRun",
      "timeOfThreadId",
    ]);
  });
});
