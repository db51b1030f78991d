import { ENV } from "@uncaged/workflow-protocol";
import { isInCgroup } from "./cgroup.js";
import { HAS_PROC, hasVariable, isLiving, listPids, type ProcessStat, readStat } from "./proc.js";
import type { RunIdentity } from "./types.js";

/**
 * The living processes of a run, never ourselves: the members of its group, and whoever carries its token or is in the
 * control group that is named after it.
 * Without /proc (not Linux) they cannot be listed: the leader's number stands for the group while that can be signalled.
 */
export function runMembers(identity: RunIdentity): readonly number[] {
  return membersOf(identity, false);
}

/** Sends the signal to every member; one that is gone already is no failure. */
export function signalRun(identity: RunIdentity, signal: NodeJS.Signals): void {
  signalMembers(identity, false, signal);
}

/**
 * `trustGroup`: we started the leader ourselves a moment ago, so its number cannot have passed on to a stranger's group.
 * For a record of unknown age it can; then a group without its leader counts only where the token confirms it.
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

export function signalMembers(identity: RunIdentity, trustGroup: boolean, signal: NodeJS.Signals): void {
  const members = membersOf(identity, trustGroup);
  const outside = members.filter((pid) => !signalsWithGroup(identity, pid));
  // One call reaches the whole group, also a member that is being forked right now.
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

/** 0 and -1 mean our own group and everybody, 1 the system's first process: none of them is ever a run's. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (Math.abs(pid) <= 1) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
