import { err, type Fault, fault, type Problem, type Result } from "@uncaged/workflow-protocol";

export function invalidConfig(file: string, problems: readonly Problem[]): Result<never, Fault> {
  const errors = problems.filter((problem) => problem.severity === "error");
  return err(fault("INVALID_CONFIG", { file, problems: errors }));
}
