import { expect, it } from "vitest";

it("exports exactly its public surface", async () => {
  const names = [
    "GRACE_MS",
    "PROVIDER_KEYS",
    "callProgram",
    "check",
    "checkMain",
    "claude",
    "cliAgentMain",
    "codex",
    "createCliAgent",
    "cursor",
    "findProgram",
    "gemini",
    "isReady",
    "listen",
    "opencode",
    "pi",
    "processPlace",
    "processPort",
    "recordIn",
  ];
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(names);
});
