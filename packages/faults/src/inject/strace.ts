import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { MOCK, type Ran, RUNTIMES, UWF, type World, WRITER } from "../world.js";
import type { Errno, Role } from "./plan.js";
import { quiet } from "./plan.js";

// bun's own calls cannot be patched from within, so the kernel's are counted and injected: strace, on the main thread
// alone, where the synchronous calls are made. `--seccomp-bpf` would be faster and drops the signal.

/** Calls that change something; the opening of a file shows in what comes after it. */
const NAMES =
  "chmod,fchmod,fdatasync,fsync,ftruncate,link,linkat,mkdir,mkdirat,pwrite64,rename,renameat,renameat2,rmdir," +
  "unlink,unlinkat,utimensat,vfork,write,writev";

/** The n-th call of a name on the main thread of a process. */
export type Syscall = {
  readonly name: string;
  readonly n: number;
  /** The file that it is about, `stdout`, or "". */
  readonly path: string;
  /** As strace writes it. */
  readonly text: string;
};

/** What a traced command came to. */
export type Traced = {
  readonly ran: Ran;
  readonly calls: readonly Syscall[];
  readonly killed: boolean;
  /** Whether the call that was chosen was refused. */
  readonly refused: boolean;
};

export type Trace = {
  readonly role: Role;
  /** What happens to which call. */
  readonly injection: {
    readonly call: Pick<Syscall, "name" | "n">;
    readonly effect: "signal=KILL" | `error=${Errno}`;
  } | null;
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
          env: {
            UWF_FAULTS_AGENT: tracedAgent(world, MOCK, log, trace),
            UWF_FAULTS_WRITER: tracedAgent(world, WRITER, log, trace),
          },
        });
  // A detached strace writes until its process is gone.
  await quiet(world);
  const text = textOf(log);
  const killed = text.includes("+++ killed by SIGKILL +++");
  return { ran, calls: syscallsIn(text), killed, refused: /= -1 .*\(INJECTED\)$/m.test(text) };
}

function optionsOf(log: string, { injection }: Trace): readonly string[] {
  const options = ["-q", "-y", "-o", log, "-e", `trace=execve,${NAMES}`];
  if (injection === null) return options;
  const { call, effect } = injection;
  return [...options, "-e", `inject=${call.name}:${effect}:when=${call.n}`];
}

/** An agent that is the traced process itself (`-D`), or, to die together with its uwf, a shell above it. */
function tracedAgent(world: World, program: string, log: string, trace: Trace): string {
  const file = join(world.folder, `traced-${basename(program)}`);
  const command = `strace -D ${optionsOf(log, trace).join(" ")} ${program} "$@"`;
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
    return index < begin ? [] : [{ name, n, path: pathIn(line), text: line }];
  });
}

/** The file of a descriptor, or the first one that is named. */
function pathIn(line: string): string {
  if (/^\w+\(1</.test(line)) return "stdout";
  return /^\w+\(\d+<([^>]*)>/.exec(line)?.[1] ?? /"([^"]*)"/.exec(line)?.[1] ?? "";
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
