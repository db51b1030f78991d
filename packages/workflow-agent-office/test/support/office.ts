import { spawn } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createDocument, openDocument, outlineOf, saveDocument } from "@uncaged/workflow-docx";
import {
  ended,
  type Ran,
  type Runtime,
  type Sandbox,
  sandbox,
} from "../../../cli-workflow/test/support/uwf.js";

export type { Sandbox };

const packages = resolve(import.meta.dirname, "../../..");
export const BIN = join(packages, "workflow-agent-office/bin");
export const OFFICE = join(BIN, "uwf-office");
export const DIFF = join(packages, "workflow-agent-docx-diff/bin/uwf-docx-diff");
export const EXEC = join(packages, "workflow-agent-exec/bin/uwf-exec");
export const EXAMPLES = resolve(packages, "../examples");

/** The bytes of a document with these paragraphs. */
export function documentOf(...texts: readonly string[]): Uint8Array {
  const created = createDocument(texts.map((text) => ({ kind: "paragraph", text, style: null })));
  if (!created.ok) throw new Error(created.error.code);
  return saveDocument(created.value);
}

/** The texts of a document's blocks. */
export function textsOf(bytes: Uint8Array): readonly string[] {
  const opened = openDocument(bytes);
  if (!opened.ok) throw new Error(opened.error.code);
  return outlineOf(opened.value).blocks.map(({ text }) => text);
}

/**
 * Stands for somebody's office-agent; its first word says what it does. It makes `made.docx`, which lies beside it, and
 * writes down its command line.
 */
const PROGRAM = `#!/bin/sh
here=$(dirname "$0")
how=$1; shift
printf '%s\\n' "$PWD" "$@" > "$here/called"
case $1 in create) target=$4 ;; edit) target=$2 ;; esac
case $how in
  works) cp "$here/made.docx" "$target" ;;
  fails) echo "no licence left" >&2; exit 3 ;;
  hangs) echo begun; sleep 600 ;;
  writes-nothing) rm -f "$target" ;;
  writes-text) echo "This is no document." > "$target" ;;
  spoils-the-original) cp "$here/made.docx" "$target"; chmod u+w original.docx; echo spoilt > original.docx ;;
  dies) kill -9 $$ ;;
esac
`;

/** A sandbox with that program, and the documents `input.docx` and `made.docx`. */
export function officeBox(runtime?: Runtime): Sandbox {
  const box = sandbox(runtime);
  chmodSync(box.write("somebodys-agent", PROGRAM), 0o755);
  box.write("input.docx", documentOf("We have three apples."));
  box.write("made.docx", documentOf("We have four apples."));
  return box;
}

/** `uwf-office` with that program. */
export function agentThat(how: string, options = ""): string {
  return `'${OFFICE}' --command ./somebodys-agent ${options} -- ${how}`;
}

/** The folders of the runs of a thread. */
export function runsOf(box: Sandbox, thread: string): readonly string[] {
  const folder = join(box.cwd, "documents", thread);
  return readdirSync(folder).map((name) => join(folder, name));
}

type RunOptions = { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> };

/** One of this package's programs, in the sandbox. */
export function runBin(
  box: Sandbox,
  name: string,
  words: readonly string[],
  { stdin, env }: RunOptions = {},
): Promise<Ran> {
  const child = spawn(join(BIN, name), words, {
    cwd: box.cwd,
    env: {
      ...box.environment,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {});
  child.stdin.end(stdin ?? "");
  return ended(child);
}
