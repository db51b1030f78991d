import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { TYPE } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { runCheck } from "../src/check/index.js";
import { parseFacts } from "../src/write.js";

const repository = resolve(import.meta.dirname, "../../..");
const DOCUMENT = readFileSync(join(repository, "docs/agent-protocol.md"), "utf8");
const UWF = join(repository, "packages/cli-workflow/bin");

function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(DOCUMENT)?.[1] ?? "";
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("docs/agent-protocol.md", () => {
  it("names the types of our nodes as the store does", () => {
    const rows = [...DOCUMENT.matchAll(/^\| `([\w-]+)` \| `([0-9A-Z]{13})` \|/gm)];
    expect(rows.map(([, name, hash]) => [name, hash])).toEqual([
      ["Workflow", TYPE.workflow],
      ["StartNode", TYPE.startNode],
      ["StepNode", TYPE.stepNode],
      ["content", TYPE.content],
      ["react-session", TYPE.reactSession],
      ["extracted-session", TYPE.extractedSession],
      ["react-turn", TYPE.reactTurn],
      ["react-tool-call", TYPE.reactToolCall],
      ["file", TYPE.file],
    ]);
  });

  it("shows facts that uwf-agent-write reads", () => {
    expect(parseFacts(block("json"))).toMatchObject({ ok: true, value: { sessionId: "s-1" } });
  });

  it.skipIf(!hasPython)("leads to an agent in Python that keeps the protocol", async () => {
    const folder = mkdtempSync(join(tmpdir(), "uwf-python-"));
    const agent = join(repository, "examples/agents/uwf-json.py");
    let out = "";
    const model = ["sh", "-c", `cat > /dev/null; echo '{"note": "small", "done": true}'`];
    const only = "good-reply,missing-field,keys";
    const code = await runCheck(["--only", only, agent, ...model], {
      env: {
        ...process.env,
        PATH: [UWF, dirname(process.execPath), process.env.PATH].join(delimiter),
        UWF_RUNTIME: "node",
      },
      cwd: folder,
      temporary: folder,
      now: Date.now,
      abort: new AbortController().signal,
      newToken: () => `token-${Math.random().toString(36).slice(2)}`,
      out: (text) => {
        out += text;
      },
      err: () => {},
    });
    rmSync(folder, { recursive: true });
    expect(out).toContain("3 ok, 0 failed");
    expect(code).toBe(0);
  });
});
