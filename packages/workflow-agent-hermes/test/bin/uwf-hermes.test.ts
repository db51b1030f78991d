import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeThread, REVIEW_META, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import { makeHermes, streamed } from "../helpers.js";

const program = join(import.meta.dirname, "../../dist/bin/uwf-hermes.js");

// The bundle that the test script makes first, on Node.js.
describe("the binary uwf-hermes", () => {
  let made: TestThread;

  beforeEach(async () => {
    made = await makeThread({ reviewer: REVIEW_META });
  });

  afterEach(() => made.remove());

  function envWith(bin: string): NodeJS.ProcessEnv {
    return { PATH: `${bin}:/usr/bin:/bin`, HOME: made.root, UNCAGED_WORKFLOW_STORAGE_ROOT: made.root };
  }

  it("prints the hash of the step, shows hermes's stderr, and extracts from the answer", () => {
    const text = "---\napproved: true\n---\nFine.\n";
    const chat = { ...streamed({ text }), stderr: "thinking\nsession_id: s\n" };
    const { bin } = makeHermes(made.root, { chat: [chat] });
    const words = [program, made.thread, "reviewer"];
    const result = spawnSync(process.execPath, words, { env: envWith(bin), encoding: "utf8" });
    expect(result).toMatchObject({ status: 0, stderr: "thinking\nsession_id: s\n" });
    expect(result.stdout).toMatch(/^[0-9A-F][0-9A-Z]{12}\n$/);
  });

  it("checks whether hermes is installed and has a key", () => {
    const { bin } = makeHermes(made.root, {
      chat: [{ stdout: "Hermes Agent v0.16.0\n", stderr: "", code: 0 }],
    });
    const check = (path: string) =>
      spawnSync(process.execPath, [program, "--check"], { env: envWith(path), encoding: "utf8" });
    const found = check(bin);
    expect(found.status).toBe(6);
    expect(JSON.parse(found.stdout)).toMatchObject({ version: "Hermes Agent v0.16.0", loggedIn: false });
    mkdirSync(join(made.root, ".hermes"));
    writeFileSync(join(made.root, ".hermes/.env"), "OPENROUTER_API_KEY=x\n");
    expect(check(bin).status).toBe(0);
    expect(JSON.parse(check("/nonexistent").stdout)).toMatchObject({ installed: false });
  });

  it("ends hermes on SIGTERM", async () => {
    const { bin } = makeHermes(made.root, {});
    const hermes = join(bin, "hermes");
    writeFileSync(hermes, "#!/bin/sh\necho started >&2\nexec sleep 600\n");
    chmodSync(hermes, 0o755);
    const child = spawn(process.execPath, [program, made.thread, "reviewer"], {
      env: envWith(bin),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      if (text.includes("started")) child.kill("SIGTERM");
    });
    const [code] = await once(child, "close");
    expect(code).toBe(143);
    expect(stderr).toContain("error[INTERRUPTED]");
  });
});
