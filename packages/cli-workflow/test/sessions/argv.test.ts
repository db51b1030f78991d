import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, binOf, expectNoOptionFromElsewhere, recording, type Subject } from "../support/argv.js";

/** What a program that plays \`name\` prints: a session, and the text as its reply. */
const SAYS: Readonly<Record<string, (id: string, text: string) => readonly object[]>> = {
  claude: (session_id, result) => [
    { type: "result", subtype: "success", is_error: false, session_id, result },
  ],
  codex: (thread_id, text) => [
    { type: "thread.started", thread_id },
    { type: "item.completed", item: { id: "i", type: "agent_message", text } },
    { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } },
  ],
  cursor: (session_id, result) => [
    { type: "system", subtype: "init", session_id, model: "auto" },
    { type: "result", subtype: "success", is_error: false, result, session_id },
  ],
  gemini: (session_id, content) => [
    { type: "init", session_id, model: "m" },
    { type: "message", role: "assistant", content, delta: true },
    { type: "result", status: "success", stats: {} },
  ],
  hermes: (session_id, text) => [{ type: "result", session_id, exit_code: 0, text }],
  opencode: (sessionID, text) => [
    { type: "text", sessionID, part: { messageID: "m", text } },
    { type: "step_finish", sessionID, part: { messageID: "m", reason: "stop" } },
  ],
  pi: (id, text) => {
    const message = { role: "assistant", content: [{ type: "text", text }], stopReason: "stop" };
    return [
      { type: "session", id },
      { type: "message_end", message },
      { type: "agent_end", messages: [message] },
    ];
  },
};

function cli(name: string, more: Partial<Subject> = {}): Subject {
  const says = (id: string, text: string): string =>
    (SAYS[name]?.(id, text) ?? []).map((record) => `${JSON.stringify(record)}\n`).join("");
  return { programs: [name], words: "", says, options: [], before: null, ...more };
}

/** Every agent that starts a program; of the others, why nothing is to be seen. */
const SUBJECTS: Readonly<Record<string, Subject | string>> = {
  "uwf-claude": cli("claude", { options: ["--resume"] }),
  "uwf-codex": cli("codex"),
  "uwf-cursor": cli("cursor", { programs: ["cursor-agent"], options: ["--resume"] }),
  "uwf-gemini": cli("gemini", { options: ["--resume"] }),
  "uwf-opencode": cli("opencode", { options: ["--session"] }),
  "uwf-pi": cli("pi", { before: "--session" }),
  "uwf-hermes": cli("hermes", { options: ["--query", "--resume", "--session-id"] }),
  "uwf-acp": recording("-- recorded", "recorded"),
  "uwf-exec": recording("-- recorded", "recorded"),
  "uwf-worktree": recording(`-- '${binOf("uwf-exec")}' -- recorded`, "recorded", "git"),
  "uwf-llm": "starts no program",
  "uwf-react": "starts only what its model asks for",
  "uwf-mock": "starts no program",
};

/** Of the add-on for documents: workflow-agent-docx-diff/test/agent/argv.test.ts. */
const OF_DOCUMENTS = ["uwf-docx-diff", "uwf-office", "uwf-agent-docx"];

describe("every agent of uwf", () => {
  it("is in the table", () => {
    const names = agents()
      .map((path) => basename(path))
      .filter((name) => !OF_DOCUMENTS.includes(name));
    expect(names.sort()).toEqual(Object.keys(SUBJECTS).sort());
  });

  const starting = Object.entries(SUBJECTS).flatMap(([name, each]) =>
    typeof each === "string" ? [] : [[name, each] as const],
  );

  it.each(starting)("%s gives its program no text from elsewhere as an option", (name, subject) =>
    expectNoOptionFromElsewhere(name, subject, [Buffer.from("old"), Buffer.from("new")]),
  );
});
