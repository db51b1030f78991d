import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeThread, REVIEW_META, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import * as adapters from "../../src/adapters/index.js";
import { lines, makeCli, succeeds } from "../helpers.js";

const NAMES = Object.values(adapters).flatMap((each) => ("programs" in each ? [each.name] : []));

// The bundles that the test script makes first, on Node.js.
function program(name: string): string {
  const folder = name === "hermes" ? "workflow-agent-hermes" : "workflow-agent-cli";
  return join(import.meta.dirname, `../../../${folder}/dist/bin/uwf-${name}.js`);
}

describe("the binaries", () => {
  let made: TestThread;

  beforeEach(async () => {
    made = await makeThread({ reviewer: REVIEW_META });
  });

  afterEach(() => made.remove());

  function start(name: string, words: readonly string[], path: string) {
    const env = { PATH: path, HOME: made.root, UNCAGED_WORKFLOW_STORAGE_ROOT: made.root };
    return spawnSync(process.execPath, [program(name), ...words], { env, encoding: "utf8" });
  }

  it("print their version, and report a missing CLI", () => {
    for (const name of NAMES) {
      expect(start(name, ["--version"], "/usr/bin:/bin").stdout).toMatch(
        new RegExp(`^uwf-${name} \\d+\\.\\d+\\.\\d+\\n$`),
      );
    }
    const checked = start("cursor", ["--check"], "/nonexistent");
    expect(checked.status).toBe(6);
    expect(JSON.parse(checked.stdout)).toMatchObject({ agent: "uwf-cursor", installed: false });
  });

  it("print the hash of the step", () => {
    const result = "---\napproved: true\n---\nFine.";
    const act = succeeds(
      lines({ type: "result", subtype: "success", is_error: false, result, session_id: "s" }),
    );
    const { bin } = makeCli(made.root, "claude", [act]);
    const { status, stdout, stderr } = start("claude", [made.thread, "reviewer"], `${bin}:/usr/bin:/bin`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^[0-9A-F][0-9A-Z]{12}\n$/);
  });
});
