import { computeHash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import * as protocol from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { TYPE } from "../../src/index.js";

it("the types of our nodes are the hashes of their schemas", () => {
  const hash = (schema: Parameters<typeof computeHash>[1]) => computeHash(META_SCHEMA_HASH, schema);
  expect(TYPE).toEqual({
    workflow: hash(protocol.WORKFLOW_SCHEMA),
    playedWorkflow: hash(protocol.PLAYED_WORKFLOW_SCHEMA),
    answer: hash(protocol.ANSWER_SCHEMA),
    startNode: hash(protocol.START_NODE_SCHEMA),
    stepNode: hash(protocol.STEP_NODE_SCHEMA),
    content: hash(protocol.CONTENT_SCHEMA),
    reactSession: hash(protocol.REACT_SESSION_SCHEMA),
    extractedSession: hash(protocol.EXTRACTED_SESSION_SCHEMA),
    reactTurn: hash(protocol.REACT_TURN_SCHEMA),
    reactToolCall: hash(protocol.REACT_TOOL_CALL_SCHEMA),
    join: hash(protocol.JOIN_SCHEMA),
    file: hash(protocol.FILE_SCHEMA),
    chunkedFile: hash(protocol.CHUNKED_FILE_SCHEMA),
    fileChunk: hash(protocol.FILE_CHUNK_SCHEMA),
  });
});
