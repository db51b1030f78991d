import {
  err,
  type Fault,
  ok,
  problemLine,
  type Result,
  type WorkflowConfig,
} from "@uncaged/workflow-protocol";
import { keyNames, loadConfig, loadDotEnv, secretsIn } from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import type { StepDeps } from "./types.js";

/** What the user has set up, and what must never be shown of it. */
export type Configured = {
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** The variables that hold the providers' keys. */
  readonly keyNames: readonly string[];
  readonly redactor: Redactor;
};

/** For a step that runs no agent. */
export const NOTHING_CONFIGURED: Configured = {
  config: null,
  keyNames: [],
  redactor: createRedactor([]),
};

/** config.yaml and the keys of `.env`: the latter first, so that no message about the former shows one of them. */
export async function configure({ storage, host, warn }: StepDeps): Promise<Result<Configured, Fault>> {
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const { variables } = dotEnv.value;
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return err(createRedactor(secretsIn(variables, host.env, [])).value(loaded.error));
  const { config, warnings, file } = loaded.value;
  const names = keyNames(config);
  const redactor = createRedactor(secretsIn(variables, host.env, names));
  for (const problem of warnings) warn(redactor.text(problemLine(problem, file)));
  return ok({ config, keyNames: names, redactor });
}
