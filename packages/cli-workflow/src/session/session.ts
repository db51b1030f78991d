import { CasError } from "@uncaged/json-cas";
import { exitCodeOf, type Fault, fault, fromCasFault, ok, type Result } from "@uncaged/workflow-protocol";
import { openStorage, resolveStorageRoot, type Storage } from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { CommandContext, CommandOutput } from "../commands/index.js";
import type { Host } from "../io/index.js";
import { type ErrorFormat, type Format, renderDocument, renderFault } from "../render/index.js";

/** What a command gets; the storage root is looked up when it asks for it. */
export function contextOf(host: Host): CommandContext {
  return {
    host,
    openStorage: () => openRoot(host),
    warn: (sentence) => host.stderr.write(sanitizeTerminal(`warning: ${sentence}\n`)),
  };
}

function openRoot(host: Host): Result<Storage, Fault> {
  const root = resolveStorageRoot({ env: host.env, cwd: host.cwd, home: host.env.HOME ?? null });
  return root.ok ? ok(openStorage(root.value, { now: host.now })) : root;
}

export async function print(host: Host, output: CommandOutput, format: Format | null): Promise<void> {
  if (output.kind === "text") host.stdout.write(output.text);
  else host.stdout.write(await renderDocument(output.value, format ?? output.defaultFormat));
}

/** Prints the failure and gives its exit code. */
export function fail(failure: Fault, host: Host, errorFormat: ErrorFormat): number {
  host.stderr.write(renderFault(failure, errorFormat));
  return exitCodeOf(failure);
}

/** What was thrown: the node store failed, or uwf has a bug. */
export function failThrown(error: unknown, host: Host, errorFormat: ErrorFormat): number {
  if (error instanceof CasError) return fail(fromCasFault(error.fault), host, errorFormat);
  if (isWriteError(error)) return fail(unwritable(error), host, errorFormat);
  const exitCode = fail(fault("BUG", { reason: String(error) }), host, errorFormat);
  if (host.env.UWF_DEBUG === "1" && error instanceof Error) host.stderr.write(`${error.stack ?? ""}\n`);
  return exitCode;
}

type WriteError = Error & { readonly code: string; readonly syscall: "write" };

/** Only our own stdout is written without a guard of its own. */
function isWriteError(error: unknown): error is WriteError {
  return error instanceof Error && "code" in error && "syscall" in error && error.syscall === "write";
}

function unwritable({ code, message }: WriteError): Fault {
  return fault("IO_FAILED", { operation: "write", path: "stdout", errno: code, reason: message });
}
