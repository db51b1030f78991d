import { readFileSync, statSync } from "node:fs";
import type { JsonValue } from "@uncaged/json-cas";
import { ioFault } from "@uncaged/json-cas-fs";
import { CasInputError } from "../fault/index.js";
import { inexactInteger } from "./exact.js";

/** Bytes of JSON text; a node has the same limit. */
const JSON_LIMIT = 32 * 1024 * 1024;

const INLINE = /^[{["\d\-tfn]/;

/** The value of a `<json>` argument: `-` is stdin, what starts like JSON is JSON, anything else is a file. */
export function readJsonArgument(argument: string, readStdin: () => Uint8Array): JsonValue {
  if (argument === "-") return parseBytes(readStdin(), "stdin");
  if (INLINE.test(argument)) return parseText(argument, "the <json> argument");
  return parseBytes(readFile(argument), argument);
}

function readFile(path: string): Uint8Array {
  try {
    checkSize(statSync(path).size, path);
    return readFileSync(path);
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

function parseBytes(bytes: Uint8Array, what: string): JsonValue {
  checkSize(bytes.length, what);
  return parseText(decodeText(bytes, what), what);
}

function checkSize(size: number, what: string): void {
  if (size > JSON_LIMIT) throw new CasInputError({ code: "TOO_LARGE", what, size, limit: JSON_LIMIT });
}

/** Takes a byte order mark off; refuses what is not UTF-8 instead of replacing it. */
function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(what, "it is not UTF-8");
  }
}

/** The gate for JSON text. */
function parseText(text: string, what: string): JsonValue {
  const value = parseJson(text, what);
  const inexact = inexactInteger(text);
  if (inexact === null) return value;
  throw invalid(what, `the number ${inexact} cannot be held exactly; write it as a string`);
}

function parseJson(text: string, what: string): JsonValue {
  if (text.trim() === "") throw invalid(what, "it is empty");
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw invalid(what, `not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function invalid(what: string, reason: string): CasInputError {
  return new CasInputError({ code: "INVALID_INPUT", what, reason });
}
