import { ENV } from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";
import type { Host } from "../../io/index.js";
import { type Found, fine, warning } from "./findings.js";
import { findProgram } from "./version.js";

/** Major and minor version from which on we are tested. */
const OLDEST = { node: [20, 19], bun: [1, 3] } as const;

/** What runs uwf, why, and what else could. */
export async function checkRuntime(host: Host, redactor: Redactor): Promise<readonly Found[]> {
  const { name, version } = host.runtime;
  const chosen = host.env[ENV.runtime] ? `${ENV.runtime} says so` : reason(name);
  const other = name === "bun" ? "node" : "bun";
  const program = await findProgram(host, other, null, redactor);
  const rest = program.ok ? `${other} ${program.value.version ?? "of unknown version"}` : `no ${other}`;
  const message = `uwf runs on ${name} ${version} (${chosen}); there is ${rest} on PATH`;
  const [major, minor] = OLDEST[name];
  if (isOld(version, major, minor))
    return [warning("runtime", message, `install ${name} ${major}.${minor} or newer`)];
  return [fine("runtime", message)];
}

function reason(name: "node" | "bun"): string {
  return name === "bun" ? "bun is on PATH" : "bun is not on PATH, or node was started by hand";
}

function isOld(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split(".").map(Number);
  return first < major || (first === major && second < minor);
}
