import { type BrokenInThread, brokenInThreads, type Storage } from "@uncaged/workflow-store";
import { bounded, type Found, failing, fine } from "./findings.js";

/** So many nodes are looked at; `uwf cas verify` looks at all. */
const MAX_NODES = 10_000;

/** One command line names no more. */
const MOST_NAMED = 20;

/** What steps refer to is there. A list of threads that cannot be read has a finding of its own. */
export async function checkReferences(storage: Storage): Promise<readonly Found[]> {
  const looked = await brokenInThreads(storage, MAX_NODES);
  if (!looked.ok) return [];
  const { broken, isWhole } = looked.value;
  if (broken.length === 0) return [fine("references", isWhole ? ALL : SOME)];
  const gone = new Set(broken.filter(isGone).map(({ hash }) => hash));
  const flags = [...gone].slice(0, MOST_NAMED).map((hash) => ` --accept-missing ${hash}`);
  const goOn = `\`uwf cas gc${flags.join("")}\` goes on without what is gone; or ${RESTORE}`;
  return bounded(
    broken.map((found) =>
      failing("references", sentence(found), isGone(found) ? goOn : `${RESTORE}; ${NAMES}`, 7),
    ),
  );
}

const ALL = "what steps refer to is there";
const SOME = `of what steps refer to, the first ${MAX_NODES} nodes are there; \`uwf cas verify\` looks at all`;
const RESTORE = "restore the node from a backup, or import an export that has it";
const NAMES = "`uwf cas verify` names all that are damaged";

function sentence({ thread, step, role, field, hash, reason }: BrokenInThread): string {
  return `field ${field} of step ${step} (${role}) of thread ${thread} refers to ${hash}, which ${reason}`;
}

function isGone({ reason }: BrokenInThread): boolean {
  return reason === "does not exist";
}
