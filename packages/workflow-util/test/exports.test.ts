import { describe, expect, it } from "vitest";

describe("the package", () => {
  it("exports exactly this", async () => {
    expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
      "OF_STORAGE_ROOT",
      "RANDOM_LENGTH",
      "asThreadId",
      "barredIn",
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
      "keyedThreadId",
      "makeCgroup",
      "newThreadId",
      "openPlace",
      "packageVersion",
      "parseFrontmatterBlock",
      "parseFrontmatterMarkdown",
      "parseThreadId",
      "pathOfOpen",
      "removeCgroup",
      "resolveCommand",
      "runChild",
      "runMembers",
      "sanitizeStream",
      "sanitizeTerminal",
      "signalRun",
      "timeOfThreadId",
      "timePart",
    ]);
  });
});
