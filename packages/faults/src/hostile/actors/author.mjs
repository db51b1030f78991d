#!/usr/bin/env node
// @ts-nocheck: agents are plain JavaScript, as an author without TypeScript would write them.
// An author's agent whose every word comes from a file: {text, stderr, session, failure}.
import { readFileSync, writeSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";

const script = JSON.parse(readFileSync(process.env.UWF_HOSTILE_REPLY, "utf8"));
if (script.stderr) writeSync(2, script.stderr);

await createAgent({
  name: script.name ?? "uwf-author",
  run: ({ prompt }) => {
    if (script.failure) throw new Error(script.failure);
    const { text, session = null } = script;
    return { kind: "text", text: text.replaceAll("$PROMPT", () => prompt), session };
  },
})();
