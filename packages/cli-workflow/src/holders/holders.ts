import type { LockHolder } from "@uncaged/workflow-protocol";
import type { Unlocked } from "@uncaged/workflow-store";

type HeldBy = NonNullable<Unlocked["holder"]>;

/** A lock's record as commands print it. */
export function holderOutput({ pid, host, acquiredAt, judgement, because }: HeldBy): LockHolder {
  return { pid, host, since: acquiredAt, judgement, because };
}

const VERDICT = {
  alive: "it is alive",
  dead: "it is dead",
  unknown: "whether it is alive cannot be told from here",
};

/** `it is dead: no living process has its pid and start time`. */
export function verdictSentence({ judgement, because }: Pick<HeldBy, "judgement" | "because">): string {
  return `${VERDICT[judgement]}: ${because}`;
}
