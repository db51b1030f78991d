import { closeSync, openSync, statSync } from "node:fs";
import { CasError, type JsonValue, parseJson } from "@uncaged/json-cas";
import { ioFault, readWithin } from "@uncaged/json-cas-fs";
import { CasInputError } from "./fault.js";

/** Bytes of JSON text; a node has the same limit. */
const JSON_LIMIT = 32 * 1024 * 1024;

const INLINE = /^[{["\d\-tfn]/;

/** The value of a `<json>` argument: `-` is stdin, what starts like JSON is JSON, anything else is a file. */
export function readJsonArgument(argument: string, readStdin: ReadStdin): JsonValue {
  if (argument === "-") return parseBytes(readStdin(JSON_LIMIT), "stdin");
  if (INLINE.test(argument)) return parseText(argument, "the <json> argument");
  return parseBytes(readFile(argument), argument);
}

type ReadStdin = (limit: number) => Uint8Array | null;

function readFile(path: string): Uint8Array | null {
  try {
    const { size } = statSync(path);
    if (size > JSON_LIMIT) throw tooLarge(path, size);
    const fd = openSync(path, "r");
    try {
      return readWithin(fd, JSON_LIMIT);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof CasInputError) throw error;
    const { fault } = ioFault("read", path, error);
    if (fault.code === "IO_FAILED" && NO_SUCH_FILE.has(fault.errno)) {
      throw new CasInputError({ code: "FILE_NOT_FOUND", path, reason: fault.reason });
    }
    throw ioFault("read", path, error);
  }
}

const NO_SUCH_FILE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

function parseBytes(bytes: Uint8Array | null, what: string): JsonValue {
  if (bytes === null) throw tooLarge(what, null);
  return parseText(decodeText(bytes, what), what);
}

function tooLarge(what: string, size: number | null): CasInputError {
  return new CasInputError({ code: "TOO_LARGE", what, size, limit: JSON_LIMIT });
}

/** Removes a byte order mark; refuses invalid UTF-8 instead of replacing it. */
function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(what, "it is not UTF-8");
  }
}

/** The gate for JSON text. */
function parseText(text: string, what: string): JsonValue {
  if (text.trim() === "") throw invalid(what, "it is empty");
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof CasError) throw error;
    throw invalid(what, `not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function invalid(what: string, reason: string): CasInputError {
  return new CasInputError({ code: "INVALID_INPUT", what, reason });
}
