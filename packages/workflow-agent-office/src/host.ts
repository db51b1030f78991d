import { homedir } from "node:os";
import { CasError, err, escapeControls, type Result, sanitizeTerminal } from "@uncaged/json-cas";
import { errnoOf, ioFault, writeStderr, writeStdout } from "@uncaged/json-cas-fs";
import { exitCodeOf, renderFault } from "@uncaged/workflow-agent-kit";
import { DOCX_EXIT_CODE, docxHint, docxMessage } from "@uncaged/workflow-docx";
import { ENV, endingSignals } from "@uncaged/workflow-util";
import { type DocumentFault, type DocxRefusal, pathOf } from "./document.js";

/** Runs office-agent or uwf-agent-docx on the real process. `tool` gives the exit code. */
export function start(version: string, tool: (argv: readonly string[], host: Host) => Promise<number>): void {
  const controller = new AbortController();
  for (const signal of endingSignals(process.env)) {
    process.once(signal, () => controller.abort(signal));
  }
  // A program that just stops has not done its work.
  process.exitCode = 1;
  const host = {
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME || homedir(),
    version,
    out: (text: string) => void writeStdout(Buffer.from(text)),
    err: writeStderr,
    signal: controller.signal,
  };
  void tool(process.argv.slice(2), host).then((code) => {
    process.exitCode = code;
  });
}

/** The process around office-agent and uwf-agent-docx. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string | null;
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborted with the signal's name. */
  readonly signal: AbortSignal;
};

/** Prints what the work gives, or why it gives nothing; the exit code. */
export async function runTool(
  host: Host,
  work: () => Promise<Result<string, DocumentFault>>,
): Promise<number> {
  try {
    const done = await work();
    if (done.ok) {
      host.out(done.value);
      return 0;
    }
    return refuse(host, done.error);
  } catch (error) {
    if (error instanceof CasError || errnoOf(error) !== null)
      return refuse(host, ioFault("write", pathOf(error) ?? "a file", error).fault);
    if (host.env[ENV.debug] === "1" && error instanceof Error) host.err(`${error.stack ?? ""}\n`);
    return refuse(host, { code: "BUG", reason: String(error) });
  }
}

function refuse(host: Host, fault: DocumentFault): number {
  const asJson = host.env[ENV.errorFormat] === "json";
  host.err("faults" in fault ? renderRefusal(fault, asJson) : renderFault(fault, asJson));
  return "faults" in fault ? DOCX_EXIT_CODE : exitCodeOf(fault);
}

/** Two lines, or one JSON object, as uwf prints its faults. Documents and paths may hold control characters. */
function renderRefusal({ code, file, faults }: DocxRefusal, asJson: boolean): string {
  const message = `${file}: ${faults.map(docxMessage).join("\n  ")}`;
  const hint = docxHint(faults[0]);
  if (!asJson) return sanitizeTerminal(`error[${code}]: ${message}\nhint: ${hint}\n`);
  const report = { code, message, hint, retryable: false, data: { file, faults } };
  return `${escapeControls(JSON.stringify(report))}\n`;
}

export function usageFault(reason: string, usage: string): Result<never, DocumentFault> {
  return err({ code: "USAGE", reason, usage });
}
