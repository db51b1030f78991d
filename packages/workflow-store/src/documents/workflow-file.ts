import {
  type AuthoredWorkflow,
  err,
  type Fault,
  fault,
  isWorkflowName,
  LIMITS,
  ok,
  type Problem,
  type Result,
} from "@uncaged/workflow-protocol";
import { readUserText } from "../files.js";
import { below, createFindings, type Finding, type Findings, hasErrors } from "../shape.js";
import { isCutInWorkflow, parseYamlDocument } from "./parse.js";
import { nameOfFile, readWorkflow } from "./workflow-shape.js";

/** Further findings about a workflow whose shape is right: the moderator's `checkWorkflow`. */
export type WorkflowCheck = (workflow: AuthoredWorkflow) => readonly Finding[];

/** What a workflow file is found to be. */
export type InspectedWorkflow = {
  readonly file: string;
  /** The YAML. */
  readonly text: string;
  /** `null` if there is an error among the problems. */
  readonly authored: AuthoredWorkflow | null;
  readonly problems: readonly Problem[];
};

/** A valid one: its problems are warnings. */
export type WorkflowFile = InspectedWorkflow & { readonly authored: AuthoredWorkflow };

/**
 * A workflow as people write it. `check` is asked about everything beyond the shape (the moderator's `checkWorkflow`);
 * its findings are reported together with the gate's, in the order of the text. Faults: FILE_NOT_FOUND, TOO_LARGE,
 * INVALID_INPUT (not UTF-8), INVALID_WORKFLOW with every error, IO_FAILED.
 */
export async function readWorkflowFile(
  path: string,
  check: WorkflowCheck = () => [],
): Promise<Result<WorkflowFile, Fault>> {
  const inspected = await inspectWorkflowFile(path, check);
  if (!inspected.ok) return inspected;
  const { authored, problems } = inspected.value;
  return authored === null ? invalid(path, problems) : ok({ ...inspected.value, authored });
}

/** The same for callers that show what is wrong with a workflow. Faults: those of reading the file. */
export async function inspectWorkflowFile(
  path: string,
  check: WorkflowCheck,
): Promise<Result<InspectedWorkflow, Fault>> {
  const text = readUserText(path, LIMITS.workflowFile);
  return text.ok ? ok(await inspectWorkflowText(text.value, path, check)) : text;
}

/** The same of a text; `file` is what it is called. */
export async function inspectWorkflowText(
  text: string,
  file: string,
  check: WorkflowCheck,
): Promise<InspectedWorkflow> {
  const yaml = await parseYamlDocument(text, file, LIMITS.workflowFile, isCutInWorkflow);
  if (!yaml.ok) return { file, text, authored: null, problems: yaml.error };
  const { value, locate } = yaml.value;
  const findings = createFindings(locate);
  const authored = readWorkflow(findings, value);
  // After a shape error the value contains replacements, about which a warning would be wrong.
  const sound = !hasErrors(findings.all());
  const refused = findings.all().flatMap(refusedBy);
  for (const finding of authored === null ? [] : check(authored))
    if (sound || (finding.severity === "error" && !isBehind(refused, finding.path))) findings.add(finding);
  const isValid = authored !== null && !hasErrors(findings.all());
  if (isValid) warnAboutFileName(findings, file, authored.name);
  return { file, text, authored: isValid ? authored : null, problems: findings.all() };
}

/** A misspelt key also refuses the missing key that it was meant for. */
function refusedBy({ code, path, suggestion }: Problem): readonly string[] {
  if (code !== "unknown-key" || suggestion === null) return [path];
  const [meant = ""] = suggestion.split(":");
  return [path, below(path.slice(0, path.lastIndexOf("/")), meant)];
}

/** A refused value was replaced; in a condition with a wrong key, the complete condition may be a replacement. */
function isBehind(refused: readonly string[], path: string): boolean {
  return refused.some((wrong) => wrong !== "" && (path === wrong || path.startsWith(`${wrong}/`)));
}

function warnAboutFileName(findings: Findings, file: string, name: string): void {
  if (!isWorkflowName(name) || nameOfFile(file) === name) return;
  const message = `the workflow ${name} should be in ${name}.yaml or ${name}/index.yaml`;
  const about = { severity: "warning", code: "file-name", suggestion: null, also: [] } as const;
  findings.add({ ...about, path: "/name", offset: "value", message });
}

function invalid(file: string, problems: readonly Problem[]): Result<never, Fault> {
  const errors = problems.filter((problem) => problem.severity === "error");
  return err(fault("INVALID_WORKFLOW", { file, problems: errors }));
}
