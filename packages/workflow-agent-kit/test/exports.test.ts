import { expect, it } from "vitest";

it("exports exactly its public surface", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "CAS_GET",
    "accept",
    "answerCasGet",
    "buildOutputFormatInstruction",
    "buildRolePrompt",
    "checkProgram",
    "createAgent",
    "exampleOf",
    "exitCodeOf",
    "extract",
    "isObject",
    "jsonObjectIn",
    "judgeOf",
    "nextPrompt",
    "openModel",
    "outputExample",
    "outputFields",
    "parseFrontmatterMarkdown",
    "programReport",
    "readStoredFile",
    "referenceField",
    "renderFault",
    "runProgram",
    "sessionTurns",
    "shellWord",
    "timeoutMsOf",
    "validateFrontmatter",
    "whyOf",
  ]);
});
