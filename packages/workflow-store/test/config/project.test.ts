import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadProjectConfig } from "../../src/config/index.js";
import { findLocalWorkflow, findLocalWorkflows } from "../../src/documents/index.js";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-project-")));
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, "deep/down"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const FILE = ".workflows/config.yaml";
const load = (folder = ".") => loadProjectConfig(join(root, folder));

async function refusals(text: string): Promise<readonly string[]> {
  put(FILE, text);
  const loaded = await load();
  if (loaded.ok || loaded.error.code !== "INVALID_CONFIG") throw new Error(JSON.stringify(loaded));
  return loaded.error.problems.map(
    ({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`,
  );
}

describe("a project's config.yaml", () => {
  it("says which alias plays which role, limits and maxDepth", async () => {
    const file = put(
      FILE,
      "agentOverrides:\n  turns: { maker: careful }\nlimits: { default: { maxSteps: 9 } }\nmaxDepth: 2\n",
    );
    const loaded = await load("deep/down");
    expect(loaded).toMatchObject({
      ok: true,
      value: {
        file,
        agentOverrides: { turns: { maker: "careful" } },
        limits: { default: { maxSteps: 9, maxCostUsd: null, maxMinutes: null } },
        maxDepth: 2,
      },
    });
    expect(loaded.ok && loaded.value?.at("agentOverrides", "turns", "maker")).toEqual({
      line: 2,
      column: 12,
    });
  });

  it.each(["", "# nothing\n", "agentOverrides:\nlimits:\nmaxDepth:\n"])(
    "may say nothing: %j",
    async (text) => {
      put(FILE, text);
      expect(await load()).toMatchObject({ ok: true, value: { agentOverrides: {}, limits: {} } });
    },
  );

  it("never names commands, models or addresses: each key is refused with its place and the reason", async () => {
    const mine = [
      "providers",
      "models",
      "agents",
      "defaultAgent",
      "defaultModel",
      "modelOverrides",
      "notify",
    ];
    const said = await refusals(mine.map((key) => `${key}: { x: y }\n`).join(""));
    expect(said).toEqual(
      mine.map(
        (key, index) =>
          `error ${index + 1}:1 ${key} may stand only in your own config.yaml: a project says which alias plays which role, limits and maxDepth, never commands, models or addresses`,
      ),
    );
  });

  it.each([
    ["agentOveride: {}\n", "error 1:1 unknown key"],
    ["something: 1\n", 'error 1:1 unknown key "something"; known keys: agentOverrides, limits, maxDepth'],
    ["limits:\n  turns: { maxStep: 1 }\n", "error 2:12 unknown key"],
    ["limits: { turns: { maxSteps: many } }\n", "error 1:30 maxSteps must be a whole number"],
    ["maxDepth: -1\n", "error 1:11 maxDepth must be a whole number"],
    ["agentOverrides: { turns: { maker: { command: x } } }\n", "error 1:35 maker must be text, found a map"],
    ["agentOverrides: { turns: careful }\n", "error 1:26 turns must be a map"],
    ["- a\n", "error 1:1 the document must be a map"],
    ["a: &x 1\nb: *x\n", "not allowed"],
    ["limits: {\n", "error"],
  ])("refuses %j", async (text, sentence) => {
    expect((await refusals(text)).join("\n")).toContain(sentence);
  });

  it("is the nearest one, with either ending, and none is no mistake", async () => {
    expect(await load()).toEqual({ ok: true, value: null });
    const far = put(".workflows/config.yml", "maxDepth: 1\n");
    put("deep/.workflows/turns.yaml", "");
    expect(await load("deep/down")).toMatchObject({ ok: true, value: { file: far } });
    const near = put("deep/.workflows/config.yaml", "maxDepth: 2\n");
    expect(await load("deep/down")).toMatchObject({ ok: true, value: { file: near, maxDepth: 2 } });
    expect(await load()).toMatchObject({ ok: true, value: { file: far } });
  });

  it("is not looked for above the repository, nor where .workflows leads out of it", async () => {
    put(FILE, "maxDepth: 1\n");
    mkdirSync(join(root, "deep/.git"));
    expect(await load("deep/down")).toEqual({ ok: true, value: null });
    symlinkSync(join(root, ".workflows"), join(root, "deep/.workflows"));
    expect(await load("deep/down")).toEqual({ ok: true, value: null });
  });

  it("is refused as a link that leads out of .workflows, and shows nothing of it", async () => {
    const secret = put("secret.yaml", "the: secret\n");
    mkdirSync(join(root, ".workflows"));
    symlinkSync(secret, join(root, FILE));
    const loaded = await load();
    expect(loaded).toMatchObject({ ok: false, error: { code: "INVALID_INPUT", what: join(root, FILE) } });
    expect(JSON.stringify(loaded)).not.toContain("the:");
  });

  it.each([
    ["a folder", () => mkdirSync(join(root, FILE), { recursive: true }), "FILE_NOT_FOUND"],
    ["too large", () => put(FILE, "#".repeat(1024 * 1024 + 1)), "TOO_LARGE"],
    ["not UTF-8", () => writeFileSync(put(FILE, ""), Buffer.from([0x61, 0x3a, 0x20, 0xff])), "INVALID_INPUT"],
  ])("is refused as %s", async (_what, make, code) => {
    make();
    expect(await load()).toMatchObject({ ok: false, error: { code } });
  });

  it("is no workflow: one of that name stands in a folder of its own", () => {
    put(FILE, "maxDepth: 1\n");
    expect(findLocalWorkflow(root, "config")).toEqual({ ok: true, value: null });
    expect(findLocalWorkflows(root)).toEqual([]);
    const file = put(".workflows/config/index.yaml", "name: config\n");
    expect(findLocalWorkflow(root, "config")).toEqual({ ok: true, value: { name: "config", file } });
  });
});
