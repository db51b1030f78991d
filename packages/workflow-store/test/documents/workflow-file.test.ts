import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { afterAll, describe, expect, it } from "vitest";
import { readWorkflowFile, type WorkflowFile } from "../../src/documents/index.js";
import { changed, linesOf, readWorkflowText, SOUND } from "./support.js";

const folder = mkdtempSync(join(tmpdir(), "uwf-documents-"));
afterAll(() => rmSync(folder, { recursive: true }));

const WORKER = ["roles", "worker"];

function read(text: string): Promise<Result<WorkflowFile, Fault>> {
  return readWorkflowText(text, "solve.yaml", () => []);
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("readWorkflowFile", () => {
  it("gives the authored workflow", async () => {
    const result = await readWorkflowFile(file("solve.yaml", changed(["name"], "solve")));
    expect(result).toMatchObject({ ok: true, value: { authored: SOUND, problems: [] } });
  });

  it("takes a byte order mark and CRLF", async () => {
    const text = `\ufeff${changed(["name"], "solve").replaceAll("\n", "\r\n")}`;
    const result = await readWorkflowFile(file("solve.yaml", text));
    expect(result.ok && result.value.authored).toMatchObject(SOUND);
  });

  it("names a file that is missing, a directory, or no path at all", async () => {
    mkdirSync(join(folder, "directory.yaml"));
    const code = "FILE_NOT_FOUND";
    const absent = { ok: false, error: { code, reason: "it does not exist" } };
    expect(await readWorkflowFile(join(folder, "absent.yaml"))).toMatchObject(absent);
    expect(await readWorkflowFile(join(folder, "absent.yaml", "below.yaml"))).toMatchObject(absent);
    expect(await readWorkflowFile(`a\0b.yaml`)).toMatchObject(absent);
    const directory = { ok: false, error: { code, reason: "it is a folder" } };
    expect(await readWorkflowFile(join(folder, "directory.yaml"))).toMatchObject(directory);
  });

  it("refuses what is not a regular file without waiting for it", async () => {
    expect(await readWorkflowFile("/dev/null")).toMatchObject({
      error: { reason: "it is not a regular file" },
    });
  });

  it("refuses 2 MiB by the size of the file", async () => {
    const path = file("large.yaml", new Uint8Array(2 * 1024 * 1024));
    const error = { code: "TOO_LARGE", what: path, size: 2 * 1024 * 1024, limit: 1024 * 1024 };
    expect(await readWorkflowFile(path)).toEqual({ ok: false, error });
  });

  it("refuses bytes that are not UTF-8", async () => {
    const path = file("utf16.yaml", Buffer.from("name: x\n", "utf16le").subarray(0, 7));
    const latin = file("latin.yaml", Buffer.from("name: \u00fc\n", "latin1"));
    expect(await readWorkflowFile(path)).toMatchObject({ ok: false });
    expect(await readWorkflowFile(latin)).toMatchObject({
      error: { code: "INVALID_INPUT", reason: "it is not UTF-8 text" },
    });
  });
});

describe("the shape of a workflow", () => {
  it.each<[string, string, readonly string[]]>([
    ["an empty file", "", ["f:1:1: the file is empty"]],
    ["only comments", "# nothing\n", ["f:1:1: the file is empty"]],
    ["a list", "- a\n", ["f:1:1: the document must be a map, found a list"]],
    ["a text", "hello\n", ['f:1:1: the document must be a map, found the text "hello"']],
    ["a syntax error", "name: [a\nroles: 1\n", []],
    [
      "an unknown key",
      changed(["descripton"], "x"),
      ['unknown key "descripton", did you mean "description"?'],
    ],
    ["a misspelt key", changed(WORKER.concat("goals"), "x"), ['unknown key "goals", did you mean "goal"?']],
    ["a missing section", changed(["conditions"], undefined), ['f:1:1: missing key "conditions"']],
    [
      "a missing text",
      changed(WORKER.concat("output"), undefined),
      ['f:4:3: missing key "output" in worker'],
    ],
    [
      "a number",
      changed(WORKER.concat("goal"), 42),
      ["f:6:11: goal must be text, found the number 42; quote it"],
    ],
    ["nothing", changed(["description"], null), ["f:2:14: description must be text, found nothing"]],
    [
      "capabilities that are a text",
      changed(WORKER.concat("capabilities"), "typing"),
      ['capabilities must be a list of texts, found the text "typing"; write it as a list: [typing]'],
    ],
    [
      "a number among the capabilities",
      changed(WORKER.concat("capabilities"), ["a", 2]),
      ["capabilities[1] must be text, found the number 2; quote it"],
    ],
    ["a role that is a text", changed(WORKER, "me"), ['worker must be a map, found the text "me"']],
    ["roles that are a list", changed(["roles"], []), ["roles must be a map, found a list"]],
    [
      "transitions that are a map",
      changed(["graph", "worker"], {}),
      ["worker must be a list of transitions, found a map; put a - before it"],
    ],
    [
      "a transition that is a text",
      changed(["graph", "worker"], ["$END"]),
      ['worker[0] must be a map with role and condition, found the text "$END", did you mean "{ role: $END,'],
    ],
    [
      "a transition without condition",
      changed(["graph", "worker"], [{ role: "$END" }]),
      ['missing key "condition" in worker[0]'],
    ],
    [
      "a condition that is true",
      changed(["graph", "worker"], [{ role: "$END", condition: true }]),
      ["condition must be a condition's name or null, found true"],
    ],
    [
      "a condition without expression",
      changed(["conditions", "good"], { description: "x" }),
      ['missing key "expression" in good'],
    ],
  ])("refuses %s", async (_what, text, expected) => {
    const lines = linesOf(await read(text));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBe(Math.max(1, expected.length));
    for (const [index, part] of expected.entries()) expect(lines[index]).toContain(part);
  });

  it("reads an unquoted date as text", async () => {
    const result = await read(
      changed(["description"], "x").replace("description: x", "description: 2024-01-01"),
    );
    expect(result.ok && result.value.authored.description).toBe("2024-01-01");
  });

  it("takes empty texts and lists", async () => {
    expect((await read(changed(WORKER.concat("procedure"), ""))).ok).toBe(true);
    expect((await read(changed(WORKER.concat("capabilities"), []))).ok).toBe(true);
    expect((await read(changed(["conditions"], {}))).ok).toBe(true);
  });

  it.each(["$START", "__proto__", "constructor", "--help", "a/b", "two words", "Prüfer", ""])(
    "carries a role named %j as an own key",
    async (name) => {
      const roles = SOUND.roles as Record<string, unknown>;
      const result = await read(changed(["roles", name], roles.worker as never));
      if (!result.ok) throw new Error(linesOf(result).join("\n"));
      expect(Object.keys(result.value.authored.roles)).toEqual(["worker", name]);
      expect(Object.getOwnPropertyDescriptor(result.value.authored.roles, name)?.value).toEqual({
        ...(roles.worker as object),
        agent: null,
      });
    },
  );

  it("reports all problems at once, in the order of the text", async () => {
    const text = "graph: 3\nname: 1\nrolls: {}\n";
    expect(linesOf(await read(text))).toEqual([
      'f:1:1: missing key "description"',
      'f:1:1: missing key "conditions"',
      "f:1:8: graph must be a map, found the number 3",
      "f:2:7: name must be text, found the number 1; quote it",
      'f:3:1: unknown key "rolls", did you mean "roles"?',
    ]);
  });
});

describe("meta", () => {
  it.each<[string, JsonValue, RegExp]>([
    ["true", true, /^f:11:11: meta must be a map, found true$/],
    ["a list", [], /^f:11:11: meta must be a map, found a list$/],
    ["nothing", null, /^f:11:11: meta must be a map, found nothing$/],
    ["a typo in a keyword", { type: "object", propertys: {} }, /^f:13:7: .*did you mean "properties"\?$/],
    ["a typo in a type", { type: "objct" }, /^f:12:13: .*did you mean "object"\?$/],
    ["a typo further inside", { type: "object", properties: { a: { typ: "x" } } }, /^f:15:11: /],
    ["a remote $ref", { type: "object", $ref: "https://example.com/s" }, /^f:13:13: /],
    ["a dangling $ref", { type: "object", $ref: "#/$defs/x" }, /^f:13:13: /],
  ])("refuses %s", async (_what, meta, expected) => {
    const lines = linesOf(await read(changed(WORKER.concat("meta"), meta)));
    expect(lines).toEqual([expect.stringMatching(expected)]);
  });

  it.each<[string, JsonObject]>([
    ["a union", { anyOf: [{ type: "object" }, { $ref: "#/$defs/b" }], $defs: { b: { type: "object" } } }],
    ["a recursive $ref", { type: "object", properties: { child: { $ref: "#" } } }],
    ["a schema of a list, which is refused behind the gate", { type: "array" }],
  ])("takes %s", async (_what, meta) => {
    const result = await read(changed(WORKER.concat("meta"), meta));
    expect(result.ok && result.value.authored.roles.worker?.meta).toEqual(meta);
  });
});

describe("the check behind the gate", () => {
  const finding = (severity: "error" | "warning", path: string) =>
    ({
      severity,
      code: "invalid",
      path,
      offset: null,
      message: `about ${path}`,
      suggestion: null,
      also: [],
    }) as const;

  it("is asked about a workflow of the right shape and its findings are placed", async () => {
    const check = () => [finding("error", "/graph/worker/1/role"), finding("error", "/name")];
    const lines = linesOf(await readWorkflowText(changed(["name"], "solve"), "solve.yaml", check));
    expect(lines).toEqual([
      "f:1:1: about /name",
      expect.stringMatching(/^f:\d\d:7: about \/graph\/worker\/1\/role$/),
    ]);
  });

  it("is asked also where texts, capabilities or transitions are wrong, and only its errors count then", async () => {
    const check = () => [finding("warning", "/name"), finding("error", "/graph")];
    const lines = linesOf(await readWorkflowText(changed(WORKER.concat("goal"), 42), "solve.yaml", check));
    expect(lines).toEqual([
      expect.stringContaining("goal must be text"),
      expect.stringContaining("about /graph"),
    ]);
  });

  it("sees the refused parts replaced by harmless ones", async () => {
    const seen: unknown[] = [];
    const text = changed(["graph", "worker"], ["nonsense"]).replace("name: solve", "name: 7");
    await readWorkflowText(text, "solve.yaml", (workflow) => {
      seen.push(workflow.name, workflow.graph.worker);
      return [];
    });
    expect(seen).toEqual(["unnamed", [{ role: "$END", condition: null }]]);
  });

  it("is skipped if a complete section is missing", async () => {
    const check = () => [finding("error", "/never")];
    expect(linesOf(await readWorkflowText(changed(["roles"], undefined), "f", check))).toEqual([
      'f:1:1: missing key "roles"',
    ]);
  });

  it("leaves its warnings with the workflow", async () => {
    const result = await readWorkflowText(changed(["name"], "solve"), "solve.yaml", () => [
      finding("warning", "/roles"),
    ]);
    expect(result).toMatchObject({
      ok: true,
      value: { problems: [{ severity: "warning", line: 3, column: 1 }] },
    });
  });
});

describe("the name of the file", () => {
  it.each(["solve.yaml", "a/solve.yml", "solve/index.yaml", "../solve/index.yml"])(
    "may be %s",
    async (name) => {
      const result = await readWorkflowText(changed(["name"], "solve"), name, () => []);
      expect(result.ok && result.value.problems).toEqual([]);
    },
  );

  it.each(["other.yaml", "solve.json", "solve", "index.yaml", "Solve.yaml"])(
    "is warned about: %s",
    async (name) => {
      const result = await readWorkflowText(changed(["name"], "solve"), name, () => []);
      const message = "the workflow solve should be in solve.yaml or solve/index.yaml";
      expect(result.ok && result.value.problems).toMatchObject([{ severity: "warning", line: 1, message }]);
    },
  );
});
