import { expect, it } from "vitest";

it("exports exactly its public surface", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "CAS_GET",
    "answerCasGet",
    "buildOutputFormatInstruction",
    "buildRolePrompt",
    "createAgent",
    "isObject",
    "openModel",
    "parseFrontmatterMarkdown",
    "renderFault",
    "sessionTurns",
    "validateFrontmatter",
    "whyOf",
  ]);
});
