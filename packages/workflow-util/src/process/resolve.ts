import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { absolute, findOnPath, refusalOf } from "./executable.js";

/**
 * The absolute path of a command, as a shell finds it: with a slash relative to `cwd`, else on `path`.
 * Fails with AGENT_NOT_FOUND (nowhere on PATH) or AGENT_NOT_STARTABLE (there, but the system would refuse it).
 */
export function resolveCommand(
  command: string,
  where: { readonly path: string; readonly cwd: string },
): Result<string, Fault> {
  const refuse = (reason: string): Result<string, Fault> =>
    err(fault("AGENT_NOT_STARTABLE", { command, reason }));
  if (command === "") return refuse("its name is empty");
  if (command.includes("\0")) return refuse("its name contains a NUL character");
  if (!command.includes("/")) return resolveName(command, where);
  const file = absolute(command, where.cwd);
  const reason = refusalOf(file, where.path);
  if (reason === null) return ok(file);
  return refuse(command.startsWith("~") ? `${reason}; ~ is a shell's, write the path out` : reason);
}

function resolveName(
  command: string,
  where: { readonly path: string; readonly cwd: string },
): Result<string, Fault> {
  const { found, refused } = findOnPath(command, where.path, where.cwd);
  if (found === null && refused === null)
    return err(fault("AGENT_NOT_FOUND", { command, path: where.path, suggestion: null }));
  const reason = found === null ? refused : refusalOf(found, where.path);
  if (found === null || reason !== null) {
    return err(fault("AGENT_NOT_STARTABLE", { command, reason: reason ?? "" }));
  }
  return ok(found);
}
