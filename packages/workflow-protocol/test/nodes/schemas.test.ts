import { checkSchema, computeHash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import * as protocol from "../../src/index.js";

const SCHEMAS = {
  Workflow: protocol.WORKFLOW_SCHEMA,
  StartNode: protocol.START_NODE_SCHEMA,
  StepNode: protocol.STEP_NODE_SCHEMA,
  content: protocol.CONTENT_SCHEMA,
  "react-session": protocol.REACT_SESSION_SCHEMA,
  "extracted-session": protocol.EXTRACTED_SESSION_SCHEMA,
  "react-turn": protocol.REACT_TURN_SCHEMA,
  "react-tool-call": protocol.REACT_TOOL_CALL_SCHEMA,
  file: protocol.FILE_SCHEMA,
};

describe("the schemas of the nodes", () => {
  it.each(Object.entries(SCHEMAS))("%s is a valid, closed schema with its title", (title, schema) => {
    expect(checkSchema(schema)).toEqual([]);
    expect(schema).toMatchObject({ title, additionalProperties: false });
  });

  it("never change: their hashes are part of the storage format", () => {
    const hashes = Object.entries(SCHEMAS).map(([title, schema]) => [
      title,
      computeHash(META_SCHEMA_HASH, schema),
    ]);
    expect(Object.fromEntries(hashes)).toMatchInlineSnapshot(`
      {
        "StartNode": "1ACG42ARBBGGM",
        "StepNode": "48PJ12JC509YP",
        "Workflow": "1HMT7KFTYQX5H",
        "content": "016K8DJZ2QPQ8",
        "extracted-session": "2QQ43G6EVWRMW",
        "file": "6NVJGNS9Z48E0",
        "react-session": "4QHFKNYC6XMS8",
        "react-tool-call": "DMWA54KB46E0X",
        "react-turn": "78KDFX8Q5DHDQ",
      }
    `);
  });
});
