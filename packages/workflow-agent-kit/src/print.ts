import { ENV, exitCodeOf, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "@uncaged/workflow-store";
import { FaultError, renderFault } from "./fault.js";
import { type Host, processStreams } from "./host.js";

/** Why nothing was printed, since stdout may be a file on a full disk; `null`: it was. */
export function unprinted({ out }: Pick<Host, "out">, text: string): Fault | null {
  const written = attempt(() => out(text));
  return written.ok ? null : written.error;
}

/** Prints what is known so far. Throws a `FaultError` where stdout cannot be written. */
export function printMore(host: Pick<Host, "out">, text: string): void {
  const failure = unprinted(host, text);
  if (failure !== null) throw new FaultError(failure);
}

/** Prints a program's result, or on stderr why there is none. Gives the exit code. */
export function printResult(host: Pick<Host, "env" | "err" | "out">, result: Result<string, Fault>): number {
  const failure = result.ok ? unprinted(host, result.value) : result.error;
  if (failure === null) return 0;
  host.err(renderFault(failure, host.env[ENV.errorFormat] === "json"));
  return exitCodeOf(failure);
}

/** Prints a text on this process's stdout. Gives `exitCode`, or 74 where it cannot be written, which stderr then says. */
export function printText(text: string, exitCode: number): number {
  return printResult(processStreams(), ok(text)) || exitCode;
}
