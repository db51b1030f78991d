import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputExample, outputFields } from "@uncaged/workflow-agent-kit";
import { type Asked, type Given, splitWords } from "@uncaged/workflow-engine";
import { ENV, err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import type { Host } from "../../io.js";
import { misused } from "../output.js";

/**
 * The answer out of an editor, which opens again as long as it is not valid. A file that comes back as it was, or empty, is
 * no answer: a person who only leaves the editor has approved nothing.
 */
export function edited(
  host: Host,
  asked: Asked,
  remote: boolean,
  judge: (raw: string) => Result<Given, readonly string[]>,
): Result<Given, Fault> {
  const editor = host.env[ENV.visual] || host.env[ENV.editor] || "";
  const words = editor === "" ? null : splitWords(editor);
  if (words === null || !host.stdinIsTerminal()) {
    const needs = words === null ? "an editor in $VISUAL or $EDITOR" : "a terminal";
    return misused(`--edit needs ${needs}`, "give the answer with --field or -f");
  }
  if (!words.ok) return words;
  const folder = mkdtempSync(join(tmpdir(), "uwf-answer-"));
  const file = join(folder, "answer.md");
  try {
    for (let text = template(asked, []); ; ) {
      writeFileSync(file, text, { mode: 0o600 });
      const [program, ...args] = words.value;
      const ran = spawnSync(program, [...args, file], { stdio: "inherit", env: { ...host.env } });
      if (ran.status !== 0) return unanswered(asked, remote, `${editor} ended without success`);
      const raw = decoded(readFileSync(file));
      if (raw === null) return unanswered(asked, remote, `${editor} has not written UTF-8`);
      if (raw === text || raw.replace(/^(?:#.*|---\s*)$/gm, "").trim() === "")
        return unanswered(asked, remote, "the file was not changed");
      const given = judge(raw);
      if (given.ok) return given;
      text = template(asked, given.error, raw);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unanswered({ thread, role }: Asked, remote: boolean, reason: string): Result<never, Fault> {
  return err(
    fault("INVALID_ANSWER", { thread, role, violations: [`nothing was answered: ${reason}`], remote }),
  );
}

/**
 * What the editor opens: the header to fill in below what is asked, all of which is in comments; or what was
 * typed, below what is wrong with it.
 */
export function template(
  { question, meta }: Asked,
  wrong: readonly string[],
  typed: string | null = null,
): string {
  if (typed !== null) {
    const rest = typed.replace(/^---\n(?:# ! .*\n)*/, "");
    return `---\n${wrong.map((line) => comment(`! ${line}`)).join("")}${rest}`;
  }
  const example = outputExample(meta) ?? "";
  const comments = [
    question.trim(),
    "",
    "Fields:",
    ...outputFields(meta),
    "",
    "Fill in the fields; prose may follow the header.",
  ];
  return `---\n${comments.join("\n").split("\n").map(comment).join("")}${example}---\n`;
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What YAML has no place for, in a comment too, would make every answer below it invalid. */
function comment(line: string): string {
  return line === "" ? "#\n" : `# ${line.replaceAll(/[\p{Cc}\ufffd]/gu, " ")}\n`;
}
