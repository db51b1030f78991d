import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kind } from "../../src/arguments.js";
import type { Fields } from "../../src/connection.js";
import { answerPermission, CANCELLED } from "../../src/policy.js";

let root: string;
let cwd: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-acp-policy-")));
  cwd = join(root, "project");
  mkdirSync(join(cwd, "src"), { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(join(cwd, "src/a.ts"), "");
  symlinkSync(join(root, "elsewhere"), join(cwd, "link"));
  symlinkSync(join(cwd, "src"), join(cwd, "inner"));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const OPTIONS = [
  { optionId: "always", kind: "allow_always", name: "" },
  { optionId: "once", kind: "allow_once", name: "" },
  { optionId: "never", kind: "reject_always", name: "" },
  { optionId: "no", kind: "reject_once", name: "" },
];

type Rules = { readonly allow?: readonly Kind[]; readonly deny?: readonly Kind[] };

function ask(
  toolCall: Fields,
  { allow = [], deny = [] }: Rules = {},
  options: unknown = OPTIONS,
  known: Fields | null = null,
) {
  const policy = {
    allow: new Set(allow),
    deny: new Set(deny),
    commands: [],
    cwd,
  };
  const told = { kind: null, title: "", locations: [], inputs: [], content: [] };
  const earlier = known === null ? null : { ...told, ...known };
  const params = { toolCall: { toolCallId: "t", ...toolCall }, options };
  const { answer, rejected } = answerPermission(params, earlier, policy);
  return { answer, rejected };
}

const chosen = (optionId: string): Fields => ({ outcome: { outcome: "selected", optionId } });

/** `@` stands for the working folder, `^` for the folder above it. */
function placed(call: unknown): Fields {
  return JSON.parse(JSON.stringify(call).replaceAll("@", cwd).replaceAll("^", root));
}

const INSIDE: readonly (readonly [string, Fields])[] = [
  ["a location", { kind: "edit", locations: [{ path: "@/src/a.ts" }] }],
  ["the folder itself", { kind: "read", locations: [{ path: "@" }] }],
  [
    "a relative path",
    { kind: "edit", rawInput: { file_path: "src/new/deep/b.ts", content: "#!/bin/sh\ncat /etc/passwd" } },
  ],
  ["a path that leaves and comes back", { kind: "edit", rawInput: { path: "src/../src/a.ts" } }],
  ["a link that stays inside", { kind: "edit", rawInput: { path: "inner/a.ts" } }],
  ["a name with dots", { kind: "edit", rawInput: { path: "..a/...b" } }],
  ["a file: address", { kind: "read", rawInput: { uri: "file://@/src/a%20b.ts" } }],
  ["a diff", { kind: "edit", content: [{ type: "diff", path: "@/src/a.ts", newText: "/etc" }] }],
  ["a list of paths", { kind: "read", rawInput: { paths: ["a", "@/b"] } }],
  ["a map of changes by path", { kind: "edit", rawInput: { changes: { "@/src/a.ts": { add: "x" } } } }],
  [
    "a patch",
    { kind: "edit", rawInput: { patchText: "*** Begin Patch\n*** Update File: src/a.ts\n+/etc\n" } },
  ],
  ["a new file's diff", { kind: "edit", rawInput: { diff: "--- /dev/null\n+++ b/src/a.ts\n" } }],
  ["a search without a path", { kind: "search", rawInput: { pattern: "etc.*passwd" } }],
  ["a thought", { kind: "think" }],
];

const OUTSIDE: readonly (readonly [string, Fields])[] = [
  ["a location", { kind: "edit", locations: [{ path: "@/src/a.ts" }, { path: "^/elsewhere/x" }] }],
  ["a path above", { kind: "edit", rawInput: { path: "../x" } }],
  ["a folder whose name only begins like ours", { kind: "edit", rawInput: { path: "@-2/x" } }],
  ["home", { kind: "read", rawInput: { path: "~/.ssh/id_rsa" } }],
  ["a link to another folder", { kind: "edit", rawInput: { path: "link/new.txt" } }],
  ["a link in a command", { kind: "execute", rawInput: { command: "cat link/secret" } }],
  ["a file: address", { kind: "read", rawInput: { uri: "file:///etc/passwd" } }],
  ["an address", { kind: "fetch", rawInput: { url: "https://example.org/" } }],
  ["a nested path", { kind: "other", rawInput: { edits: [{ filePath: "/etc/hosts" }] } }],
  ["a map of changes by path", { kind: "edit", rawInput: { changes: { "/etc/hosts": {} } } }],
  ["a target of a move", { kind: "move", rawInput: { source: "@/src/a.ts", destination: "/tmp/a.ts" } }],
  ["a patch", { kind: "edit", rawInput: { patch: "*** Add File: ../x\n" } }],
  ["a diff's path", { kind: "edit", content: [{ type: "diff", path: "/etc/hosts", newText: "" }] }],
  ["a command's word", { kind: "execute", rawInput: { command: "cat /etc/passwd", cwd: "@" } }],
  ["a command's redirection", { kind: "execute", rawInput: { command: "echo x>/etc/motd" } }],
  ["a command's option", { kind: "execute", rawInput: { command: "tool --file=/etc/passwd" } }],
  ["a command's home", { kind: "execute", rawInput: { command: "ls ~" } }],
  ["a command's variable", { kind: "execute", rawInput: { command: 'rm -rf "$HOME/x"' } }],
  ["a command that goes home first", { kind: "execute", rawInput: { command: "cd && rm -rf *" } }],
  ["a command that goes back", { kind: "execute", rawInput: { command: "cd -" } }],
  ["a shell's command in a list", { kind: "execute", rawInput: { command: ["bash", "-lc", "cat ../../x"] } }],
  ["a folder to run in", { kind: "execute", rawInput: { command: "ls", cwd: "/" } }],
  ["a program of another folder", { kind: "execute", rawInput: { command: "/opt/x/run" } }],
];

describe("without a rule", () => {
  it.each(INSIDE)("what stays inside is allowed, once: %s", (_, call) => {
    expect(ask(placed(call))).toEqual({ answer: chosen("once"), rejected: null });
  });

  it.each(OUTSIDE)("what leads outside is rejected: %s", (_, call) => {
    const { answer, rejected } = ask(placed(call));
    expect(answer).toEqual(chosen("no"));
    expect(rejected).toMatch(/outside of .*project$|only --allow-command or/);
  });

  it.each([
    ["edit", {}],
    ["read", { offset: 3 }],
    ["fetch", {}],
    ["other", { title: "x" }],
    ["other", {}],
  ])("what does not say what it touches is rejected: %s", (kind, rawInput) => {
    expect(ask({ kind, rawInput }).rejected).toContain("it does not say what it touches");
  });

  it("a mode change is rejected", () => {
    expect(ask({ kind: "switch_mode", locations: [{ path: cwd }] }).answer).toEqual(chosen("no"));
  });

  it("an earlier update of the call counts too", () => {
    const known = { kind: "execute", title: "cat", inputs: [{ command: "cat /etc/passwd" }] };
    expect(ask({ kind: "other", locations: [{ path: cwd }] }, {}, OPTIONS, known)).toMatchObject({
      answer: chosen("no"),
      rejected: expect.stringContaining("rejected execute (cat): only --allow-command"),
    });
    const inside = { kind: "edit", locations: [join(cwd, "a")] };
    expect(ask({}, {}, OPTIONS, inside).rejected).toBeNull();
  });
});

describe("a rule", () => {
  it("allows a kind everywhere", () => {
    expect(
      ask({ kind: "read", locations: [{ path: "/etc/passwd" }] }, { allow: ["read"] }).rejected,
    ).toBeNull();
    expect(
      ask({ kind: "edit", locations: [{ path: "/etc/passwd" }] }, { allow: ["read"] }).rejected,
    ).not.toBeNull();
  });

  it("forbids a kind even inside, and overrides one that allows it", () => {
    const { answer, rejected } = ask(placed({ kind: "execute", rawInput: { command: "ls" } }), {
      allow: ["execute"],
      deny: ["execute"],
    });
    expect(answer).toEqual(chosen("no"));
    expect(rejected).toContain("--deny names execute");
  });

  it("applies to every kind that the call was given", () => {
    const known = { kind: "execute", title: "ls", inputs: [{ command: "ls" }] };
    expect(ask({ kind: "other" }, { deny: ["execute"] }, OPTIONS, known).rejected).not.toBeNull();
    expect(
      ask({ kind: "read", locations: [{ path: "/" }] }, { allow: ["read"] }, OPTIONS, known).rejected,
    ).not.toBeNull();
  });
});

describe("the option", () => {
  const inside = { kind: "think" };

  it("for always is chosen only if a rule allows the kind", () => {
    const options = OPTIONS.filter(({ kind }) => kind !== "allow_once");
    expect(ask(inside, {}, options)).toMatchObject({
      answer: chosen("no"),
      rejected: expect.stringContaining("offers no way to allow it once"),
    });
    expect(ask(inside, { allow: ["think"] }, options).answer).toEqual(chosen("always"));
  });

  it("to reject may be for always, and without any the answer is cancelled", () => {
    const last = (kind: string) =>
      ask(
        { kind: "fetch" },
        {},
        OPTIONS.filter((option) => option.kind === kind),
      ).answer;
    expect(last("reject_always")).toEqual(chosen("never"));
    expect(last("allow_once")).toEqual(CANCELLED);
    expect(ask({ kind: "fetch" }, {}, "nonsense").answer).toEqual(CANCELLED);
  });
});
