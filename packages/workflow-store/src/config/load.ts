import {
  err,
  type Fault,
  fault,
  LIMITS,
  ok,
  type Problem,
  type Result,
  type WorkflowConfig,
} from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "../documents/index.js";
import { createFindings, hasErrors } from "../shape/index.js";
import { readOptionalText } from "../text-file/index.js";
import { configFile } from "./files.js";
import { readConfig } from "./shape.js";
import type { AtRoot, LoadedConfig } from "./types.js";

/** config.yaml of the storage root. Faults: INVALID_CONFIG with every error, TOO_LARGE, INVALID_INPUT (not UTF-8), IO_FAILED. */
export function loadConfig(storage: AtRoot): Result<LoadedConfig, Fault> {
  const file = configFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null) return ok({ file, config: null, warnings: [] });
  return parseConfig(text.value, file);
}

export function parseConfig(
  text: string,
  file: string,
): Result<LoadedConfig & { readonly config: WorkflowConfig }, Fault> {
  const yaml = parseYamlDocument(text, file, LIMITS.config);
  if (!yaml.ok) return invalidConfig(file, yaml.error);
  const findings = createFindings(yaml.value.locate);
  const config = readConfig(findings, yaml.value.value);
  const problems = findings.all();
  return hasErrors(problems) ? invalidConfig(file, problems) : ok({ file, config, warnings: problems });
}

export function invalidConfig(file: string, problems: readonly Problem[]): Result<never, Fault> {
  const errors = problems.filter((problem) => problem.severity === "error");
  return err(fault("INVALID_CONFIG", { file, problems: errors }));
}
