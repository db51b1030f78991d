import { expect, it } from "vitest";

it("exports exactly the shared names", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "CONTENT_SCHEMA",
    "END",
    "ENV",
    "FAIL",
    "FAULTS",
    "LIMITS",
    "REACT_SESSION_SCHEMA",
    "REACT_TOOL_CALL_SCHEMA",
    "REACT_TURN_SCHEMA",
    "START",
    "START_NODE_SCHEMA",
    "STEP_NODE_SCHEMA",
    "WORKFLOW_SCHEMA",
    "afterAttempts",
    "err",
    "exitCodeOf",
    "fault",
    "fromCasFault",
    "hintOf",
    "isRetryable",
    "isRoutingFault",
    "lastLine",
    "messageOf",
    "ofRun",
    "ok",
    "problemLine",
    "reportOf",
  ]);
});
