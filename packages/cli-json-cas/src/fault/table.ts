import { faultMessage } from "@uncaged/json-cas";
import type { CliFault, ExitCode } from "./types.js";

type Advice = { readonly exit: ExitCode; readonly hint: string };

const RESTORE = "nothing was changed; `verify` names every damaged node, restore them from a backup";

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
  INVALID_INPUT: { exit: 4, hint: "correct the JSON; a file whose name starts like JSON is given as ./name" },
  TOO_LARGE: { exit: 4, hint: "split it into nodes that refer to each other" },
  UNKNOWN_TYPE: { exit: 4, hint: "store the schema first: `schema put <json>`" },
  INVALID_PAYLOAD: { exit: 4, hint: "correct the payload; nothing was stored" },
  NOT_STORABLE: { exit: 4, hint: "only JSON can be stored; nothing was stored" },
  INVALID_SCHEMA: { exit: 4, hint: "correct the schema; nothing was stored" },
  NODE_DAMAGED: { exit: 7, hint: RESTORE },
  HASH_COLLISION: { exit: 7, hint: "change the content by a character and try again" },
  UNSUPPORTED_FORMAT: { exit: 7, hint: "use the version that wrote this store, or a newer one" },
  IO_FAILED: { exit: 74, hint: "check free space, permissions and mount options, then repeat the command" },
  LOCK_BUSY: {
    exit: 75,
    hint: "repeat the command; if the holder is on another machine and gone, remove the lock file",
  },
};

const RETRYABLE: ReadonlySet<ExitCode> = new Set([74, 75]);

export function exitCodeOf(fault: CliFault): ExitCode {
  return fault.code === "USAGE" ? 2 : ADVICE[fault.code].exit;
}

export function hintOf(fault: CliFault): string {
  return fault.code === "USAGE" ? fault.usage : ADVICE[fault.code].hint;
}

/** Whether the same command can succeed later without anybody changing anything. */
export function isRetryable(fault: CliFault): boolean {
  return RETRYABLE.has(exitCodeOf(fault));
}

export function messageOf(fault: CliFault): string {
  switch (fault.code) {
    case "BUG":
      return `this is a bug in json-cas: ${fault.reason}`;
    case "USAGE":
      return fault.reason;
    case "INVALID_INPUT":
      return `${fault.what}: ${fault.reason}`;
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
