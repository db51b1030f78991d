import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { PROBLEMS, type Problem, problemHelp } from "@uncaged/workflow-protocol";
import { ownVersion } from "../../line/index.js";
import { wordAt } from "../../screen/index.js";
import { nameFrom } from "./annotations.js";
import type { ValidatedText } from "./validate.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** The problems as a SARIF 2.1.0 log, for code scanning. */
export function sarifOf(files: readonly ValidatedText[], cwd: string) {
  const rules = Object.entries(PROBLEMS).map(([id, text]) => ({
    id,
    shortDescription: { text: text.replaceAll("`", "") },
  }));
  const results = files.flatMap((file) => {
    const uri = uriOf(nameFrom(cwd, file));
    const lines = file.text.replace(/^\ufeff/, "").split("\n");
    return file.problems.map((problem) => resultOf(problem, uri, lines));
  });
  const driver = { name: "uwf", version: ownVersion(), rules };
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  };
}

/** Relative names stay relative: the reader of the log knows where the repository is. */
function uriOf(name: string): string {
  return isAbsolute(name) ? pathToFileURL(name).href : name.split("/").map(encodeURIComponent).join("/");
}

function resultOf(problem: Problem, uri: string, lines: readonly string[]) {
  const { code, severity, line, column, message, also } = problem;
  const help = problemHelp({ ...problem, also: [] });
  const at = (line: number, column: number) => ({
    physicalLocation: { artifactLocation: { uri }, region: regionOf(lines, line, column) },
  });
  return {
    ruleId: code,
    ruleIndex: Object.keys(PROBLEMS).indexOf(code),
    level: severity,
    message: { text: help === "" ? message : `${message}, ${help}` },
    locations: [line === null ? { physicalLocation: { artifactLocation: { uri } } } : at(line, column ?? 1)],
    ...(also.length === 0 ? {} : { relatedLocations: also.map((place) => at(place.line, place.column)) }),
  };
}

/** The word at the place. */
function regionOf(lines: readonly string[], startLine: number, startColumn: number) {
  const word = wordAt((lines[startLine - 1] ?? "").replace(/\r$/, ""), startColumn - 1);
  return { startLine, startColumn, endColumn: startColumn + Math.max(word.length, 1) };
}
