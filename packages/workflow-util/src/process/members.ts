import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFile } from "node:fs";
import { join } from "node:path";
import { ENV } from "@uncaged/workflow-protocol";
import { HAS_PROC, hasVariable, isLiving, listPids, type ProcessStat, readStat } from "./proc.js";
import type { RunIdentity } from "./types.js";
import { monotonicMs, sleep } from "./watch.js";

// A process cannot leave its control group (Linux, version 2) as it can its process group and its environment. A group
// for a run can be made where this process's own belongs to this user: in a session of systemd's, or as root.

const NAME = "uwf-";

/** Makes the control group of a run; `null` if none can be made, as in most containers. */
export function makeCgroup(token: string): string | null {
  const own = ownCgroup();
  if (own === null) return null;
  const folder = join(own, `${NAME}${token}`);
  try {
    accessSync(join(own, "cgroup.procs"), constants.W_OK);
    mkdirSync(folder);
    return folder;
  } catch {
    return null;
  }
}

/**
 * Moves the leader of a run, just started, into the run's control group; what it starts from then on is in it too. The
 * kernel takes 5 to 25 ms for that: the agent starts up meanwhile, instead of waiting for it (a step took 72 ms on bun
 * and 173 on Node.js 24; so it takes 62 and 151, 50 and 24 pairs).
 */
export function joinCgroup(folder: string, pid: number): void {
  // It may be gone already. Where this fails, the run is found by its process group and its token.
  writeFile(join(folder, "cgroup.procs"), String(pid), () => {});
}

/**
 * Removes a run's control group once it is empty, if it was made beside our own; while a process is left in it, it
 * stays.
 */
export function removeCgroup(token: string): void {
  const own = ownCgroup();
  try {
    if (own !== null) rmdirSync(join(own, `${NAME}${token}`));
  } catch {
    // Not empty, or not there.
  }
}

/** Whether a process is in the group of that run, or in one that was made inside of it. */
function isInCgroup(pid: number, token: string): boolean {
  const path = /^0::(.*)$/m.exec(read(`/proc/${pid}/cgroup`))?.[1];
  return path?.split("/").includes(`${NAME}${token}`) ?? false;
}

/** The folder of this process's own group. */
function ownCgroup(): string | null {
  const path = /^0::(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1];
  // `id parent major:minor root mountpoint options … - cgroup2 …`
  const mount = /^\d+ \d+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(read("/proc/self/mountinfo"));
  const [, root = "", at = ""] = mount ?? [];
  if (path === undefined || mount === null || path.includes("/..")) return null;
  if (root !== "/" && path !== root && !path.startsWith(`${root}/`)) return null;
  return join(at, root === "/" ? path : path.slice(root.length));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * The living processes of a run, never ourselves: the members of its group, and processes that carry its token or
 * are in the control group that is named after it. Without /proc (not Linux) they cannot be listed: the leader's
 * pid represents the group while that can be signalled.
 */
export function runMembers(identity: RunIdentity): readonly number[] {
  return membersOf(identity, false);
}

/** Sends the signal to every member; a member that has already ended is no failure. */
export function signalRun(identity: RunIdentity, signal: NodeJS.Signals): void {
  signalMembers(identity, false, signal);
}

/**
 * `trustGroup`: we started the leader ourselves a moment ago, so its pid cannot belong to another group yet. For a
 * record of unknown age it can; then a group without its leader counts only if the token confirms it.
 */
export function membersOf(identity: RunIdentity, trustGroup: boolean): readonly number[] {
  if (!HAS_PROC) return identity.pid !== null && send(-identity.pid, 0) ? [identity.pid] : [];
  const group = ownGroup(identity, trustGroup);
  return listPids().filter((pid) => {
    if (pid === process.pid) return false;
    const stat = readStat(pid);
    if (stat === null || !isLiving(stat)) return false;
    return (group !== null && stat.group === group) || carriesToken(identity, stat);
  });
}

function signalMembers(identity: RunIdentity, trustGroup: boolean, signal: NodeJS.Signals): void {
  const members = membersOf(identity, trustGroup);
  const outside = members.filter((pid) => !signalsWithGroup(identity, pid));
  // One call reaches the complete group, also a member that is being forked right now.
  if (identity.pid !== null && outside.length < members.length) send(-identity.pid, signal);
  for (const pid of outside) send(pid, signal);
}

// We can be inside the run ourselves (an agent that kills its own thread): then its group is signalled one by one.
function signalsWithGroup(identity: RunIdentity, pid: number): boolean {
  if (!HAS_PROC) return true;
  return readStat(pid)?.group === identity.pid && readStat(process.pid)?.group !== identity.pid;
}

function ownGroup(identity: RunIdentity, trustGroup: boolean): number | null {
  if (identity.pid === null || trustGroup) return identity.pid;
  const leader = readStat(identity.pid);
  if (leader === null) return identity.token === null ? identity.pid : null;
  return identity.startTime === null || leader.startTime === identity.startTime ? identity.pid : null;
}

function carriesToken(identity: RunIdentity, stat: ProcessStat): boolean {
  const { token } = identity;
  return (
    token !== null && (hasVariable(stat, ENV.run, token) || (!stat.kernel && isInCgroup(stat.pid, token)))
  );
}

/**
 * 0 means our own group, -1 every process, 1 the system's first process: none of them ever belongs to a run.
 */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (Math.abs(pid) <= 1) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A process in uninterruptible sleep outlives SIGKILL; uwf waits for it no longer than this. */
const KILL_WAIT_MS = 5_000;

/**
 * Ends a run: SIGTERM, then SIGKILL after `graceMs`. `true` if none of it is left. `trustGroup`: its leader was
 * our child until a moment ago, so the rest of its group is found without the token.
 */
export function endRun(identity: RunIdentity, graceMs: number, trustGroup = false): Promise<boolean> {
  return end({ identity, trustGroup, signal: "SIGTERM", graceMs, gone: () => true });
}

type Ending = {
  readonly identity: RunIdentity;
  readonly trustGroup: boolean;
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
  /** A further condition of being over: our own child's exit was collected. */
  readonly gone: () => boolean;
};

export async function end(ending: Ending): Promise<boolean> {
  const over = (): boolean => ending.gone() && membersOf(ending.identity, ending.trustGroup).length === 0;
  if (over()) return true;
  signalMembers(ending.identity, ending.trustGroup, ending.signal);
  if (await waitUntil(over, ending.graceMs)) return true;
  return waitUntil(() => {
    // Again each time: a member may have forked between the look and the signal.
    signalMembers(ending.identity, ending.trustGroup, "SIGKILL");
    return over();
  }, KILL_WAIT_MS);
}

// Short naps first: most processes obey at once.
async function waitUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = monotonicMs() + limitMs;
  for (let napMs = 5; ; napMs = Math.min(napMs * 2, 100)) {
    if (condition()) return true;
    const left = deadline - monotonicMs();
    if (left <= 0) return false;
    await sleep(Math.min(napMs, left));
  }
}
