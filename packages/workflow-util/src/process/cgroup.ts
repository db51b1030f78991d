import { accessSync, constants, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

// A process cannot leave its control group (Linux, version 2) as it can its process group and its environment. A group
// for a run can be made where this process's own belongs to this user: in a session of systemd's, or as root.

const NAME = "uwf-";

/** Makes the group of a run; `null` where none can be made, as in most containers. */
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

/** Takes a run's group away once nobody is in it, if it was made beside our own; with a process that stays it stays too. */
export function removeCgroup(token: string): void {
  const own = ownCgroup();
  try {
    if (own !== null) rmdirSync(join(own, `${NAME}${token}`));
  } catch {
    // Not empty, or not there.
  }
}

/** Whether a process is in the group of that run, or in one that was made inside of it. */
export function isInCgroup(pid: number, token: string): boolean {
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
