import { type CasFault, escapeControls, faultMessage, sanitizeTerminal } from "@uncaged/json-cas";

/** What the commands can find wrong before they touch the store. */
export type InputFault =
  | { readonly code: "INVALID_INPUT"; readonly what: string; readonly reason: string }
  | { readonly code: "FILE_NOT_FOUND"; readonly path: string; readonly reason: string }
  | { readonly code: "FILE_EXISTS"; readonly path: string; readonly instead: string }
  | {
      readonly code: "TOO_LARGE";
      readonly what: string;
      readonly size: number | null;
      readonly limit: number;
    };

/** Every expected failure of a command of the group. */
export type CasCommandFault = CasFault | InputFault;

/** A line that cannot be understood; only the binary itself gives it, a host has its own. */
export type UsageFault = { readonly code: "USAGE"; readonly reason: string; readonly usage: string };

type BugFault = { readonly code: "BUG"; readonly reason: string };

export type CliFault = CasCommandFault | UsageFault | BugFault;

type ExitCode = 0 | 1 | 2 | 3 | 4 | 7 | 74 | 75;

/** What the group's actions throw besides `CasError`: something is wrong with the input. */
export class CasInputError extends Error {
  readonly fault: InputFault;
  constructor(fault: InputFault) {
    super(fault.code);
    this.name = "CasInputError";
    this.fault = fault;
  }
}

type Advice = { readonly exit: ExitCode; readonly hint: string };

const RESTORE = "nothing was changed; `verify` lists every damaged node: restore them from a backup";

/** Exit code by kind (2 usage, 3 not found, 4 invalid, 7 damaged, 74 I/O, 75 busy) and what to do next. */
const ADVICE: Readonly<Record<Exclude<CliFault["code"], "USAGE">, Advice>> = {
  BUG: { exit: 1, hint: "run it again with UWF_DEBUG=1 and report the stack trace" },
  MALFORMED_HASH: {
    exit: 2,
    hint: "a hash has 13 characters of 0-9 A-Z without I L O U, or is a prefix of at least 4",
  },
  AMBIGUOUS_PREFIX: { exit: 2, hint: "give more characters" },
  NODE_MISSING: { exit: 3, hint: "check the hash and the store; `list` shows what is there" },
  FILE_NOT_FOUND: { exit: 3, hint: "check the path" },
  FILE_EXISTS: { exit: 4, hint: "nothing was written; name another file, or replace this one with --force" },
  INVALID_INPUT: { exit: 4, hint: "correct the JSON; a file whose name starts like JSON is given as ./name" },
  TOO_LARGE: { exit: 4, hint: "split it into nodes that refer to each other" },
  UNKNOWN_TYPE: { exit: 4, hint: "store the schema first: `schema put <json>`" },
  INVALID_PAYLOAD: { exit: 4, hint: "correct the payload; nothing was stored" },
  NOT_STORABLE: { exit: 4, hint: "only JSON can be stored; nothing was stored" },
  INVALID_SCHEMA: { exit: 4, hint: "correct the schema; nothing was stored" },
  NODE_DAMAGED: { exit: 7, hint: RESTORE },
  PACK_DAMAGED: {
    exit: 7,
    hint: "nothing was changed; `reindex` rebuilds a pack's index; restore the pack itself from a backup, or import its nodes",
  },
  HASH_COLLISION: {
    exit: 7,
    hint: "nothing was changed; this does not happen by accident: find out where the stored node came from, or change the content slightly",
  },
  UNSUPPORTED_FORMAT: { exit: 7, hint: "use the version that wrote this store, or a newer one" },
  IO_FAILED: { exit: 74, hint: "check free space, permissions and mount options, then repeat the command" },
  LOCK_BUSY: {
    exit: 75,
    hint: "repeat the command; if the holder is on another machine and gone, remove the lock file",
  },
};

export function exitCodeOf(fault: CliFault): ExitCode {
  return fault.code === "USAGE" ? 2 : ADVICE[fault.code].exit;
}

function hintOf(fault: CliFault): string {
  return fault.code === "USAGE" ? fault.usage : ADVICE[fault.code].hint;
}

function messageOf(fault: CliFault): string {
  switch (fault.code) {
    case "BUG":
      return `this is a bug in json-cas: ${fault.reason}`;
    case "USAGE":
      return fault.reason;
    case "INVALID_INPUT":
      return `${fault.what}: ${fault.reason}`;
    case "FILE_EXISTS":
      return `${fault.path} exists already`;
    case "FILE_NOT_FOUND":
      return `cannot read ${fault.path}: ${fault.reason}`;
    case "TOO_LARGE":
      return fault.size === null
        ? `${fault.what} is larger than ${fault.limit} bytes, the limit`
        : `${fault.what} is ${fault.size} bytes, the limit is ${fault.limit}`;
    default:
      return faultMessage(fault);
  }
}

export type ErrorFormat = "text" | "json";

/**
 * What a failure prints on stderr. It may contain values from the store, which must not reach the terminal
 * unescaped.
 */
export function renderFault(fault: CliFault, format: ErrorFormat): string {
  if (format === "json") return `${escapeControls(JSON.stringify(reportOf(fault)))}\n`;
  return sanitizeTerminal(`error[${fault.code}]: ${messageOf(fault)}\nhint: ${hintOf(fault)}\n`);
}

function reportOf(fault: CliFault) {
  const { code, ...data } = fault;
  // The same command can succeed later although nothing was changed.
  const retryable = exitCodeOf(fault) >= 74;
  return { code, message: messageOf(fault), hint: hintOf(fault), retryable, data };
}

/** How failures are printed; looked up before parsing, because the line itself may be the failure. */
export function errorFormatOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ErrorFormat {
  const index = argv.lastIndexOf("--error-format");
  const joined = argv.findLast((word) => word.startsWith("--error-format="))?.slice("--error-format=".length);
  const value = index === -1 ? joined : argv[index + 1];
  return (value ?? env.UWF_ERROR_FORMAT) === "json" ? "json" : "text";
}
