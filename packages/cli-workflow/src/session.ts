import { CasError } from "@uncaged/json-cas";
import {
  ENV,
  err,
  exitCodeOf,
  type Fault,
  fault,
  fromCasFault,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import {
  olderRoot,
  resolveStorageRoot,
  type Storage,
  openStorage as storageAt,
} from "@uncaged/workflow-store";
import { escapeControls, sanitizeTerminal } from "@uncaged/workflow-util";
import type { Host, Messages } from "./io.js";
import type { CommandContext, CommandOutput } from "./line/index.js";
import { type ErrorFormat, type Format, renderDocument, renderFault } from "./render.js";
import type { Colour, Screen } from "./screen/index.js";

/** How results are printed. */
export type Printing = {
  /** `null`: not given. */
  readonly format: Format | null;
  /** As it was typed: commands may have formats of their own; `null`: not given. */
  readonly typedFormat: string | null;
  readonly colour: Colour;
  /** `null`: a program reads them. */
  readonly screen: Screen | null;
  /** Where a person watches progress, on stderr; `null`: no person does. Called only where needed. */
  readonly watcher: () => Screen | null;
};

/** For a program. */
export const FOR_PROGRAM: Printing = {
  format: null,
  typedFormat: null,
  colour: "auto",
  screen: null,
  watcher: () => null,
};

/** What a command gets; the storage root is looked up when it asks for it. */
export function contextOf(host: Host, errorFormat: ErrorFormat, printing: Printing): CommandContext {
  const openAnyStorage = (): Result<Storage, Fault> => openRoot(host);
  const openStorage = (): Result<Storage, Fault> => {
    const opened = openAnyStorage();
    const older = opened.ok ? olderRoot(opened.value) : null;
    return older === null ? opened : err(older);
  };
  return { host, openStorage, openAnyStorage, ...printing, ...messagesOn(host, errorFormat) };
}

/** Lines for a person, or one JSON object per line for a program. */
function messagesOn({ stderr }: Host, errorFormat: ErrorFormat): Messages {
  if (errorFormat === "json") {
    const say = (message: object): void => stderr.write(`${escapeControls(JSON.stringify(message))}\n`);
    return { warn: (warning) => say({ warning }), tell: (notice) => say({ notice }), live: false };
  }
  const say = (line: string): void => stderr.write(sanitizeTerminal(`${line}\n`));
  return { warn: (sentence) => say(`warning: ${sentence}`), tell: say, live: true };
}

function openRoot(host: Host): Result<Storage, Fault> {
  const root = resolveStorageRoot({ env: host.env, cwd: host.cwd, home: host.env.HOME ?? null });
  return root.ok ? ok(storageAt(root.value, { now: host.now })) : root;
}

export async function print(host: Host, output: CommandOutput, { format, screen }: Printing): Promise<void> {
  if (output.kind === "text") host.stdout.write(output.text);
  else if (output.kind === "refusal") host.stderr.write(output.text);
  else if (screen !== null && output.human !== null) host.stdout.write(await output.human(screen));
  else host.stdout.write(await renderDocument(output.value, format ?? "json"));
}

/** Prints the failure and returns its exit code. */
export function fail(failure: Fault, host: Host, errorFormat: ErrorFormat): number {
  host.stderr.write(renderFault(failure, errorFormat));
  return exitCodeOf(failure);
}

/** What was thrown: the node store failed, or uwf has a bug. */
export function failThrown(error: unknown, host: Host, errorFormat: ErrorFormat): number {
  if (error instanceof CasError) return fail(fromCasFault(error.fault), host, errorFormat);
  const exitCode = fail(fault("BUG", { reason: String(error) }), host, errorFormat);
  if (host.env[ENV.debug] === "1" && error instanceof Error) host.stderr.write(`${error.stack ?? ""}\n`);
  return exitCode;
}
