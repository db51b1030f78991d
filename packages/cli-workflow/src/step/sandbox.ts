import { realpathSync } from "node:fs";
import { err, type Fault, fault, ok, type Result, type SandboxConfig } from "@uncaged/workflow-protocol";
import type { RunDir } from "@uncaged/workflow-store";
import { type ChildOutcome, definedOnly, resolveCommand } from "@uncaged/workflow-util";
import { askProgram } from "../agents/index.js";
import { mountsOf, runMounts } from "./sandbox-mounts.js";
import type { AgentCommand, PlacedRoad } from "./types.js";

type Command = { readonly command: string; readonly args: readonly string[] };

/** The command that starts another one behind the walls, with what its run may write. */
type Walls = (run: RunDir, inside: Command) => Command;

/** A start of bwrap takes some 10 ms. */
const TRIAL_MS = 15_000;

const OUTPUT_BYTES = 4096;

/**
 * What bwrap is told whatever the agent. Its process ids are its own, so it sees and signals nobody else's processes,
 * and the kernel ends what is left of them when it ends. No --die-with-parent: an agent outlives a uwf that is killed,
 * and the next step takes its result over.
 */
const ALWAYS = ["--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"];

/** SANDBOX_UNAVAILABLE when they cannot be had here: tried with a command that does nothing, before the run begins. */
export async function buildWalls(
  { host, storage, folder }: PlacedRoad,
  agent: AgentCommand,
  sandbox: SandboxConfig,
  command: string,
): Promise<Result<Walls, Fault>> {
  const refuse = (reason: string): Result<never, Fault> =>
    err(fault("SANDBOX_UNAVAILABLE", { command: agent.program, reason }));
  const bwrap = resolveCommand("bwrap", { path: host.env.PATH ?? "", cwd: "/" });
  if (!bwrap.ok) return refuse("bubblewrap (bwrap) is not on PATH");
  const mounts = mountsOf({
    env: host.env,
    paths: storage.paths,
    root: storage.root,
    folder,
    command,
    args: agent.args,
    program: agent.program,
    sandbox,
  });
  if (!mounts.ok) return refuse(mounts.error);
  const network = sandbox.network ? [] : ["--unshare-net"];
  const words = [...mounts.value, ...ALWAYS, ...network, "--chdir", realpathSync(folder)];
  const trial = await askProgram(host, {
    file: bwrap.value,
    args: [...words, "--", "/bin/sh", "-c", ":"],
    env: definedOnly(host.env),
    timeoutMs: TRIAL_MS,
    limitBytes: OUTPUT_BYTES,
  });
  if (trial.kind !== "exited" || trial.code !== 0) return refuse(reasonOf(trial));
  return ok((run, inside) => ({
    command: bwrap.value,
    args: [...words, ...runMounts(storage.paths, run), "--", inside.command, ...inside.args],
  }));
}

function reasonOf(trial: ChildOutcome): string {
  const said = (trial.stderr ?? "").trim().split("\n").at(-1) ?? "";
  return said === "" ? `bwrap did not work (${trial.kind})` : said;
}
