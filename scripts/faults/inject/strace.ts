import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MOCK, type Ran, RUNTIMES, UWF, type World } from "../world/index.js";
import type { Role } from "./plan.js";
import { quiet } from "./quiet.js";

// bun's own calls cannot be patched from within, so the kernel's are counted and injected: strace, on the main thread
// alone, where the synchronous calls are made. `--seccomp-bpf` would be faster and drops the signal.

/** Calls that change something; the opening of a file shows in what comes after it. */
const NAMES = [
  ...["chmod", "fchmod", "fdatasync", "fsync", "ftruncate", "link", "linkat", "mkdir", "mkdirat", "pwrite64"],
  ...[
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "unlink",
    "unlinkat",
    "utimensat",
    "vfork",
    "write",
    "writev",
  ],
];

/** The n-th call of a name on the main thread of a process. */
export type Syscall = { readonly name: string; readonly n: number; readonly text: string };

/** What a traced command came to. */
export type Traced = { readonly ran: Ran; readonly calls: readonly Syscall[]; readonly killed: boolean };

export type Trace = {
  readonly role: Role;
  readonly kill: { readonly name: string; readonly n: number } | null;
  /** The agent takes its uwf with it. */
  readonly both: boolean;
};

/** Whether there are both, bun to be killed and strace to do it. */
export function canTrace(): boolean {
  return RUNTIMES.includes("bun") && spawnSync("strace", ["-V"]).status === 0;
}

/** Runs a command on bun with one of its processes below strace, and waits until nobody is left. */
export async function traced(world: World, args: readonly string[], trace: Trace): Promise<Traced> {
  const log = join(world.folder, "syscalls");
  const ran =
    trace.role === "uwf"
      ? await world.uwf([...optionsOf(log, trace), UWF, ...args], {
          program: "strace",
          runtime: "bun",
        })
      : await world.uwf(args, {
          runtime: "bun",
          env: { UWF_FAULTS_AGENT: tracedAgent(world, log, trace) },
        });
  // A detached strace writes until its process is gone.
  await quiet(world);
  const text = textOf(log);
  return { ran, calls: syscallsIn(text), killed: text.includes("+++ killed by SIGKILL +++") };
}

function optionsOf(log: string, { kill }: Trace): readonly string[] {
  const injection = kill === null ? [] : ["-e", `inject=${kill.name}:signal=KILL:when=${kill.n}`];
  return ["-q", "-y", "-o", log, "-e", `trace=execve,${NAMES.join(",")}`, ...injection];
}

/** An agent that is the traced process itself (`-D`), or, to die together with its uwf, a shell above it. */
function tracedAgent(world: World, log: string, trace: Trace): string {
  const file = join(world.folder, "traced-agent");
  const command = `strace -D ${optionsOf(log, trace).join(" ")} ${MOCK} "$@"`;
  // Without an uwf there is nobody to take along: the number of a parent that is gone is another's.
  const both = `uwf=$PPID\n${command}\n[ "$uwf" -gt 1 ] && kill -9 "$uwf"\nkill -9 $$`;
  writeFileSync(file, `#!/bin/sh\n${trace.both ? both : `exec ${command}`}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Numbered by name as strace counts them; those of the launcher's shell, before it becomes bun, are left out. */
function syscallsIn(text: string): readonly Syscall[] {
  const lines = text.split("\n");
  const begin = lines.findLastIndex((line) => line.startsWith("execve("));
  const counts = new Map<string, number>();
  return lines.flatMap((line, index) => {
    const name = /^(\w+)\(/.exec(line)?.[1];
    if (name === undefined || name === "execve") return [];
    const n = (counts.get(name) ?? 0) + 1;
    counts.set(name, n);
    return index < begin ? [] : [{ name, n, text: line }];
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
