import { statSync } from "node:fs";
import { join } from "node:path";
import { type Fault, LIMITS, ok, type Problem, type Result } from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "../documents/index.js";
import { readOptionalText } from "../files.js";
import { below, createFindings, hasErrors, type Position } from "../shape.js";
import { invalidConfig, readConfig, type WorkflowConfig } from "./shape.js";

/** Whatever knows the storage root: a `Storage`, or the root alone. */
export type AtRoot = { readonly root: string };

export type LoadedConfig = {
  readonly file: string;
  /** `null`: there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** Warnings only: a file with an error is a fault. */
  readonly warnings: readonly Problem[];
  /** Where what these keys lead to is in the file. */
  readonly at: (...keys: readonly string[]) => Position;
};

export type DotEnv = {
  readonly file: string;
  /** Variables that are already set take precedence; the caller that merges them ensures that. */
  readonly variables: Readonly<Record<string, string>>;
  /** A sentence when others can read the file. */
  readonly warning: string | null;
};

export function configFile({ root }: AtRoot): string {
  return join(root, "config.yaml");
}

export function envFile({ root }: AtRoot): string {
  return join(root, ".env");
}

const OTHERS = 0o077;

/**
 * `.env` of the storage root; no variables if there is no such file. Faults as for `loadConfig`, without
 * INVALID_CONFIG.
 */
export async function loadDotEnv(storage: AtRoot): Promise<Result<DotEnv, Fault>> {
  const file = envFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null) return ok({ file, variables: {}, warning: null });
  return ok({ file, variables: parseEnv(text.value), warning: modeWarning(file) });
}

/**
 * The grammar of dotenv, which costs half a step to load: a test compares the two. Blanks before a name are those of its own
 * line, so that a file of blank lines is read once and not once from each line.
 */
const LINE =
  /^[^\S\n\u2028\u2029]*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

/** The variables of a `.env` text, as dotenv reads them. */
export function parseEnv(text: string): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [, name = "", written = ""] of text.replace(/\r\n?/g, "\n").matchAll(LINE)) {
    const value = written.trim();
    const inside = /^(['"`])[\s\S]*\1$/.test(value) ? value.slice(1, -1) : value;
    if (name !== "__proto__") variables[name] = value.startsWith('"') ? withBreaks(inside) : inside;
  }
  return variables;
}

function withBreaks(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll("\\r", "\r");
}

function modeWarning(file: string): string | null {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return null;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  return `${file} holds keys and has mode ${octal}: other users can reach it; run chmod 600 ${file}`;
}

/** config.yaml of the storage root. Faults: INVALID_CONFIG with every error, TOO_LARGE, INVALID_INPUT (not UTF-8), IO_FAILED. */
export async function loadConfig(storage: AtRoot): Promise<Result<LoadedConfig, Fault>> {
  const file = configFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null)
    return ok({ file, config: null, warnings: [], at: () => ({ line: 1, column: 1 }) });
  return parseConfig(text.value, file);
}

export async function parseConfig(
  text: string,
  file: string,
): Promise<Result<LoadedConfig & { readonly config: WorkflowConfig }, Fault>> {
  const yaml = await parseYamlDocument(text, file, LIMITS.config);
  if (!yaml.ok) return invalidConfig(file, yaml.error);
  const { locate, value } = yaml.value;
  const findings = createFindings(locate);
  const config = readConfig(findings, value);
  const problems = findings.all();
  if (hasErrors(problems)) return invalidConfig(file, problems);
  return ok({ file, config, warnings: problems, at: (...keys) => locate(keys.reduce<string>(below, "")) });
}
