import { isObject, type JsonObject, type JsonValue, suggest } from "@uncaged/json-cas";
import type { Problem, ProblemCode } from "@uncaged/workflow-protocol";

const SHOWN = 40;

/** The value in words: `the number 42`, `a list`, `nothing`. */
export function describe(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return `the text ${quote(value)}`;
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}

/** In double quotes, control characters escaped, cut short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** A place in a text; both count from 1. */
export type Position = { readonly line: number; readonly column: number };

/**
 * The position of a JSON Pointer in a text: a map entry's key, a list item's start. What does not exist is located
 * at its nearest existing parent. With an offset, the position inside that text, with folded blanks and escapes
 * resolved.
 */
export type Locate = (pointer: string, offset?: Spot["offset"]) => Position;

/** Where a problem is, before it is located. */
type Spot = {
  readonly path: string;
  /** `null`: the entry's key. A number: that position in the text at `path`, in UTF-16 units. */
  readonly offset: number | "value" | null;
};

/** A problem before it is located. */
export type Finding = Omit<Problem, "line" | "column" | "also"> & Spot & { readonly also: readonly Spot[] };

/** Collects what a validation finds, so that a file's problems are reported all at once. */
export type Findings = {
  readonly add: (finding: Finding) => void;
  /** Everything so far, in the order of the text. */
  readonly all: () => readonly Problem[];
};

/** What the keys of a map may be; unknown ones are errors or warnings. */
type KeyRules = {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly unknown: Problem["severity"];
};

export function createFindings(locate: Locate): Findings {
  const problems: Problem[] = [];
  return {
    add: ({ offset, also, ...finding }: Finding) => {
      const others = also.map((spot) => locate(spot.path, spot.offset));
      problems.push({ ...finding, ...locate(finding.path, offset), also: others });
    },
    all: () => sortProblems(problems),
  };
}

/** In the order of the text; problems without a position come first. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

export function addError(
  findings: Findings,
  path: string,
  message: string,
  code: ProblemCode = "invalid",
): void {
  findings.add({ severity: "error", code, path, offset: null, message, suggestion: null, also: [] });
}

/** The value at a path is refused; what was meant, if that is known. */
export function refuseValue(
  findings: Findings,
  path: string,
  message: string,
  suggestion: string | null = null,
  code: ProblemCode = "invalid",
): null {
  findings.add({ severity: "error", code, path, offset: "value", message, suggestion, also: [] });
  return null;
}

export function addWarning(
  findings: Findings,
  path: string,
  message: string,
  code: ProblemCode = "invalid",
): void {
  findings.add({ severity: "warning", code, path, offset: null, message, suggestion: null, also: [] });
}

/** The JSON Pointer of `key` below `parent`. */
export function below(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function segmentsOf(pointer: string): readonly string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** How a sentence calls the place: `goal`, `capabilities[1]`, `the document`. */
export function nameOf(pointer: string): string {
  const segments = segmentsOf(pointer);
  const last = segments.at(-1);
  if (last === undefined) return "the document";
  const parent = segments.at(-2);
  return parent !== undefined && /^\d+$/.test(last) ? `${parent}[${last}]` : last;
}

// Each check returns the value with its type, or `null` after reporting what is wrong.

type Value = JsonValue | undefined;

function isList(value: Value): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** An own entry: a key like `constructor` finds nothing that the text does not have. */
export function entry(map: JsonObject, key: string): Value {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function asMap(findings: Findings, path: string, value: Value): JsonObject | null {
  return isObject(value) ? value : refuse(findings, path, "a map", value, "");
}

export function asText(findings: Findings, path: string, value: Value): string | null {
  if (typeof value === "string") return value;
  const scalar = typeof value === "number" || typeof value === "boolean";
  const quoted = isObject(value) ? '; a text that contains ": " must be quoted' : "";
  return refuse(findings, path, "text", value, scalar ? "; quote it" : quoted);
}

export function asFilledText(findings: Findings, path: string, value: Value): string | null {
  const text = asText(findings, path, value);
  if (text === null || text.trim() !== "") return text;
  return refuseValue(findings, path, `${nameOf(path)} must not be empty`);
}

/** Items of the wrong type are reported and left out. */
export function asTextList(findings: Findings, path: string, value: Value): readonly string[] | null {
  if (!isList(value)) {
    return refuse(findings, path, "a list of texts", value, listHelp(value));
  }
  return value.flatMap((item, index) => asText(findings, below(path, index), item) ?? []);
}

function listHelp(value: Value): string {
  if (typeof value !== "string") return "";
  return /^-[^-]/.test(value) ? "; a space is missing after the -" : `; write it as a list: [${value}]`;
}

export function refuse(findings: Findings, path: string, expected: string, value: Value, help: string): null {
  const message = `${nameOf(path)} must be ${expected}, found ${describe(value)}${help}`;
  return refuseValue(findings, path, message, null, "wrong-type");
}

/** Reports unknown keys, each with the nearest known one or all of them, and missing keys that none of them means. */
export function checkKeys(findings: Findings, path: string, map: JsonObject, rules: KeyRules): void {
  const known = [...rules.required, ...rules.optional];
  const unknown = Object.keys(map).filter((key) => !known.includes(key));
  const missing = new Set(rules.required.filter((key) => !Object.hasOwn(map, key)));
  // One strange key where one is missing: whatever it is called, it was written for that.
  const [only = null] = unknown.length === 1 && missing.size === 1 ? missing : [];
  for (const key of unknown) {
    const glued = gluedTo(key, known);
    const near = glued ?? suggest(key, missing) ?? suggest(key, known);
    const meant = near ?? only;
    // What is missing elsewhere was written here: never a mere warning.
    const severity = meant !== null && missing.delete(meant) ? "error" : rules.unknown;
    const help =
      meant === null && known.length > 0
        ? `; known keys: ${known.join(", ")}`
        : near === null && meant !== null
          ? `, and ${quote(meant)} is missing`
          : "";
    findings.add({
      severity,
      code: "unknown-key",
      path: below(path, key),
      offset: null,
      message: `unknown key ${quote(key)}${help}`,
      suggestion: glued === null ? meant : key.replace(/\s*[:=]+\s*/, ": "),
      also: [],
    });
  }
  for (const key of missing) {
    const owner = path === "" ? "" : ` in ${nameOf(path)}`;
    addError(findings, path, `missing key ${quote(key)}${owner}`, "missing-key");
  }
}

/** The key at the beginning of `role:reviewer` or `role = reviewer`, where YAML sees one word. */
function gluedTo(key: string, known: readonly string[]): string | null {
  const [, first] = /^([A-Za-z]+)\s*[:=]/.exec(key) ?? [];
  return known.find((name) => name === first) ?? null;
}
