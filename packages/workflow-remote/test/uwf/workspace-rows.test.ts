import type { Leased } from "@uncaged/workflow-remote";
import { openStorage } from "@uncaged/workflow-store";
import { expect, it } from "vitest";
import { sandbox } from "../../../cli-workflow/test/support/uwf.js";
import type { Git } from "../../src/work/git.js";
import { createWorkspaces } from "../../src/work/workspace.js";

const THREAD = "01KAJ5E8Q0W8YB0000000000AA";
const URL = "https://git.example/shop.git";

it.each([
  ["an address that is an option", { git: "--upload-pack=sh", ref: null, commit: null }],
  ["an address that names a program", { git: "ext::sh -c id", ref: null, commit: null }],
  ["an address that leads up", { git: "file:///srv/git/../../root/.ssh", ref: null, commit: null }],
  ["an address that leads up in escapes", { git: "https://h.example/a/%2e%2E%2fb", ref: null, commit: null }],
  [
    "an address that leads up in escapes of escapes",
    { git: "https://h/a/%252e./b", ref: null, commit: null },
  ],
  ["an address of ssh that leads up", { git: "git@h.example:../shop.git", ref: null, commit: null }],
  ["a branch that is an option", { git: URL, ref: "--upload-pack=sh", commit: null }],
  ["a branch that names another one to write", { git: URL, ref: "main:refs/heads/main", commit: null }],
  ["a commit that is an option", { git: URL, ref: null, commit: "--batch-check" }],
  ["a commit that is an expression", { git: URL, ref: null, commit: "HEAD:../x" }],
])("a row of the remote whose workspace has %s starts no git", async (_what, workspace) => {
  const box = sandbox();
  const started: (readonly string[])[] = [];
  const git: Git = async (_at, args) => {
    started.push(args);
    return { ok: true, out: "git version 2.47.0" };
  };
  const spaces = createWorkspaces(openStorage(box.root, { now: () => 0 }), git);
  const opened = await spaces.open({ thread: THREAD, workspace } as unknown as Leased, false);
  expect({ ok: opened.ok, started }).toEqual({ ok: false, started: [] });
});
