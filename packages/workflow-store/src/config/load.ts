import { type Fault, LIMITS, ok, type Result, type WorkflowConfig } from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "../documents/index.js";
import { createFindings, hasErrors } from "../shape/index.js";
import { readOptionalText } from "../text-file/index.js";
import { configFile } from "./files.js";
import { invalidConfig } from "./invalid.js";
import { readConfig } from "./shape.js";
import type { AtRoot, LoadedConfig } from "./types.js";

/** config.yaml of the storage root. Faults: INVALID_CONFIG with every error, TOO_LARGE, INVALID_INPUT (not UTF-8), IO_FAILED. */
export async function loadConfig(storage: AtRoot): Promise<Result<LoadedConfig, Fault>> {
  const file = configFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null) return ok({ file, config: null, warnings: [] });
  return parseConfig(text.value, file);
}

export async function parseConfig(
  text: string,
  file: string,
): Promise<Result<LoadedConfig & { readonly config: WorkflowConfig }, Fault>> {
  const yaml = await parseYamlDocument(text, file, LIMITS.config);
  if (!yaml.ok) return invalidConfig(file, yaml.error);
  const findings = createFindings(yaml.value.locate);
  const config = readConfig(findings, yaml.value.value);
  const problems = findings.all();
  return hasErrors(problems) ? invalidConfig(file, problems) : ok({ file, config, warnings: problems });
}
