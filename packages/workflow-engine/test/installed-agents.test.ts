import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ADDED_AGENTS } from "../src/added-agents.made.js";
import { agentOf, installedAgents } from "../src/agents.js";

let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "uwf-agents-"));
});

afterEach(() => rmSync(bin, { recursive: true, force: true }));

function put(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

function found(variables: Readonly<Record<string, string>> = {}) {
  const host = { env: { PATH: `${bin}:/usr/bin:/bin` }, cwd: bin, newToken: () => "T" };
  return installedAgents(host as never, variables);
}

it("offers the agents on PATH whose program is installed, with its version or what it lacks", async () => {
  put("uwf-one", `[ "$1" = --check ] && echo '{"installed":true,"version":"1.2.3","loggedIn":true}'`);
  put("uwf-two", `echo '{"installed":true,"version":"2","loggedIn":false,"how":"run two login"}'; exit 6`);
  put("uwf-gone", `echo '{"installed":false,"version":null,"loggedIn":null}'; exit 6`);
  expect(await found()).toEqual([
    { name: "uwf-one", note: "1.2.3" },
    { name: "uwf-two", note: "not logged in: run two login" },
  ]);
});

it("takes an agent without --check at its word, and neither tools for authors nor what needs a command for agents", async () => {
  put("uwf-plain", "echo 'error[USAGE]: no role' >&2; exit 2");
  for (const name of ["uwf-agent-check", "uwf-exec", "uwf-acp", "uwf-worktree", ...ADDED_AGENTS])
    put(name, "exit 0");
  expect(await found()).toEqual([{ name: "uwf-plain", note: null }]);
});

it("lets a key of .env count", async () => {
  put("uwf-one", `echo "{\\"installed\\":true,\\"version\\":\\"$MY_KEY\\"}"`);
  expect(await found({ MY_KEY: "set" })).toEqual([{ name: "uwf-one", note: "set" }]);
});

it("shows no terminal codes of a version", () => {
  expect(agentOf("uwf-x", JSON.stringify({ installed: true, version: "\u001b[31m1.0" }))?.note).toBe("1.0");
});
