import type { Case, Lab, Ran, Verdict } from "../types.js";
import { failing, fine, misbehaved, skipped } from "../verdict.js";

/** When SIGTERM comes at the latest: earlier with every try, for agents that were through before. */
const TRIES_MS = [5000, 1000, 100];

export const kill: Case = {
  name: "kill",
  needsGood: false,
  run: async (lab) => {
    for (const afterMs of TRIES_MS) {
      const task = afterMs === TRIES_MS[0] ? null : slowTask(lab);
      const ran = await lab.play(await lab.newThread({ task, meta: null }), { interruptAfterMs: afterMs });
      if (!ran.interrupted && ran.code !== 0)
        return skipped("not tried: it had failed before the kill, see good-reply");
      const wrong = ran.interrupted ? wrongAfterKill(lab, ran) : null;
      if (wrong !== null) return wrong;
      if (ran.interrupted && !ran.step.ok) return fine(`it ended within ${lab.graceMs / 1000} s of SIGTERM`);
    }
    return skipped(
      `not tried: in ${TRIES_MS.length} runs the agent had ended, or made its step, before the kill`,
    );
  },
};

function wrongAfterKill(lab: Lab, ran: Ran): Verdict | null {
  const seconds = lab.graceMs / 1000;
  if (ran.endedAfterMs >= lab.graceMs) {
    const fix = "end on SIGTERM, and your children with you: they are in your process group";
    return failing(`it, or a child of it, was still there ${seconds} s after SIGTERM`, fix);
  }
  if (!ran.step.ok && ran.stdout.trim() !== "") {
    return failing(
      `it was interrupted, and ${ran.step.reason}`,
      "print the hash after everything is stored, not before",
    );
  }
  return misbehaved(ran);
}

function slowTask({ request }: Lab): string {
  return `${request.task}\n\nTake your time: after that sentence write five hundred words more on it.`;
}
