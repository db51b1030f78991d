import { err, isObject, ok, type Result } from "@uncaged/json-cas";
import type { AgentContext, Fault } from "@uncaged/workflow-agent-kit";

/** The two documents that are compared: paths, or hashes of stored files. */
export type Pair = { readonly source: string; readonly modified: string };

/**
 * The documents of the newest step of `role`; `null`: of the newest one whose output has an `outputDocx`. No such step,
 * and one that edited no document, are different faults.
 */
export function writersDocuments(
  { steps }: Pick<AgentContext, "steps">,
  role: string | null,
): Result<Pair, Fault> {
  const at = steps.findLastIndex((step) =>
    role === null ? isObject(step.output) && Object.hasOwn(step.output, "outputDocx") : step.role === role,
  );
  const step = steps[at];
  if (step === undefined) {
    const reason =
      role === null
        ? "no step before it has an outputDocx"
        : `there is no step of the role ${role} before it`;
    return refused(reason, "a role that writes a document has to come first: correct the graph, or --writer");
  }
  const what = `step ${at + 1}, ${step.role},`;
  const output = isObject(step.output) ? step.output : {};
  const { mode, sourceDocx: source = null, outputDocx: modified = null } = output;
  if (typeof modified !== "string" || modified === "")
    return refused(`${what} has made no document`, "let a condition lead here only if it has made one");
  if (typeof source !== "string" || source === "" || (typeof mode === "string" && mode !== "edit"))
    return refused(
      `${what} has not edited a document: ${typeof mode === "string" && mode !== "edit" ? `its mode is ${mode}` : "it names no sourceDocx"}`,
      'let a condition lead here only if it has, such as steps[-1].output.mode = "edit"',
    );
  return ok({ source, modified });
}

function refused(reason: string, hint: string): Result<never, Fault> {
  return err({ code: "INVALID_INPUT", what: "the documents to compare", reason, hint });
}
