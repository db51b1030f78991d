import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";

type Variables = Readonly<Record<string, string>>;

/**
 * The text of `.env` with these variables in it; every other line stays. Each value is written so that dotenv reads
 * exactly it back. INVALID_INPUT when no way of writing does that; the value is not shown.
 */
export async function mergeEnvFile(
  text: string | null,
  variables: Variables,
): Promise<Result<string, Fault>> {
  // Lazily: dotenv costs half a step.
  const { setVariable } = await import("./set-variable.js");
  let merged = withoutByteOrderMark(text ?? "");
  for (const [name, value] of Object.entries(variables)) {
    const next = setVariable(merged, name, value);
    if (next === null) return cannotWrite(name);
    merged = next;
  }
  return ok(merged);
}

function cannotWrite(name: string): Result<never, Fault> {
  const reason = `the value of ${name} cannot be written so that it reads back unchanged`;
  return err(fault("INVALID_INPUT", { what: ".env", reason }));
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
