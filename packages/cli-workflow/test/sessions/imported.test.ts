import { chmodSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { openStorage, putNode, readChainNode } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { judged, MADE, mockWith } from "./support.js";

/** A `claude` that writes its words to the file `words`, one a line, and replies. */
function installClaude(box: Sandbox): { readonly env: Record<string, string>; readonly words: string } {
  const words = join(box.cwd, "words");
  const result = { type: "result", subtype: "success", is_error: false, session_id: "s-new", result: MADE };
  const program = box.write(
    "bin/claude",
    `#!/bin/sh\ncat > '${words}.stdin'\nprintf '%s\\n' "$@" > '${words}'\ncat <<'END'\n${JSON.stringify(result)}\nEND\n`,
  );
  chmodSync(program, 0o755);
  return { env: { PATH: `${join(box.cwd, "bin")}:${process.env.PATH ?? ""}` }, words };
}

/** An export whose last visit of `maker` was in this session, as the nodes say; then the checker sent it back. */
async function strangersExport(here: Sandbox, sessionId: string, cwd: string) {
  const from = sandbox();
  const roles = { maker: [{ reply: MADE }], checker: [{ reply: judged(false) }] };
  const thread = await startTurns(from);
  const agent = mockWith(from, roles);
  for (let step = 0; step < 2; step += 1) await from.json(["thread", "step", thread, "--agent", agent]);
  const { head } = await from.json<{ readonly head: Hash }>(["thread", "show", thread]);
  const { cas } = openStorage(from.root, { now: Date.now });
  const nodeOf = (hash: Hash | null) => {
    const node = readChainNode(cas, hash as Hash);
    if (!node.ok || node.value.kind !== "step") throw new Error("no step");
    return node.value.payload;
  };
  const checked = nodeOf(head);
  const made = nodeOf(checked.prev);
  const text = await putNode(cas, "content", { text: "It was done." });
  const detail = await putNode(cas, "reactSession", {
    ...{ agent: "uwf-claude", role: "maker", sessionId, cwd, model: null, turns: [], usage: null },
    ...{ prompt: text, raw: text, startedAt: 1, durationMs: 1 },
  });
  const lied = await putNode(cas, "stepNode", { ...made, detail, agent: "uwf-claude" });
  const next = await putNode(cas, "stepNode", { ...checked, prev: lied });
  const threads = join(from.root, "threads.yaml");
  from.write(threads, readFileSync(threads, "utf8").replace(head, next));
  const file = join(here.cwd, "stranger.export");
  await from.json(["cas", "export", thread, "-o", file]);
  await here.json(["cas", "import", file]);
  return thread;
}

describe("an imported thread", () => {
  it.each([
    ["an option", "--mcp-config={}", null],
    ["an option, in a relative folder", "--mcp-config={}", "."],
    ["a well-formed id of this machine", "s-1", null],
  ])("continues no session that the export names: %s", async (_what, sessionId, cwd) => {
    const box = sandbox();
    const thread = await strangersExport(box, sessionId, cwd ?? box.cwd);
    const { env, words } = installClaude(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", "uwf-claude", "--cwd", box.cwd], { env });
    expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining("not continued") });
    const argv = readFileSync(words, "utf8");
    expect(argv).not.toContain("resume");
    expect(argv).not.toContain(sessionId);
    expect(readFileSync(`${words}.stdin`, "utf8")).toContain("# Task");
  });
});

describe("a root without its log", () => {
  it("starts a new session, without an error", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const roles = { maker: [{ reply: MADE, sessionId: "s-1" }], checker: [{ reply: judged(false) }] };
    const agent = mockWith(box, roles);
    const step = () => box.uwf(["thread", "step", thread, "--agent", agent]);
    await step();
    await step();
    rmSync(join(box.root, "logs"), { recursive: true });
    const { code, stdout, stderr } = await step();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const detail = await box.json(["thread", "step-details", JSON.parse(stdout).head]);
    expect(detail).toMatchObject({ turns: [], prompt: { text: "" } });
  });
});
