import { describeHolder, type LockFile, listLocks, type Storage } from "@uncaged/workflow-store";
import { verdictSentence } from "../../holders/index.js";
import { bounded, type Found, faulty, fine, warning } from "./findings.js";

/** Who holds what, and whether they live. */
export function checkLocks(storage: Storage): readonly Found[] {
  const locks = listLocks(storage);
  if (!locks.ok) return [faulty("locks", locks.error)];
  const alive = locks.value.filter(({ kind, holder }) => kind !== "litter" && holder.judgement === "alive");
  const others = locks.value.filter(({ holder }) => holder.judgement !== "alive");
  return bounded([
    fine(
      "locks",
      alive.length === 0 ? "no living process holds a lock" : `${alive.length} held by living processes`,
    ),
    ...others.map(notAlive),
  ]);
}

function notAlive(lock: LockFile): Found {
  const { file, holder } = lock;
  if (lock.kind === "litter") {
    const message = `${file} was left by ${describeHolder(holder)}; ${verdictSentence(holder)}`;
    return warning("locks", message, "run `uwf cas verify --repair`");
  }
  const what = lock.kind === "index" ? "the index" : `thread ${lock.thread}`;
  const message = `the lock of ${what} has ${describeHolder(holder)}; ${verdictSentence(holder)}`;
  const command = `uwf thread unlock ${lock.kind === "index" ? "--index" : lock.thread}`;
  if (holder.judgement === "dead")
    return warning("locks", message, `run \`${command}\`, or leave it to the next command`);
  return warning("locks", message, `if that process is gone, run \`${command} --force\``);
}
