import type { Case } from "../types.js";
import { failing, fine, misbehaved, skipped } from "../verdict.js";

export const kill: Case = {
  name: "kill",
  needsGood: false,
  run: async (lab) => {
    const ran = await lab.play(await lab.newThread({ task: null, meta: null }), { interrupt: true });
    if (!ran.interrupted && ran.code === 0) return fine("it had finished before SIGTERM came");
    if (!ran.interrupted) return skipped("it had failed before SIGTERM came, see good-reply");
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
    return (
      misbehaved(ran) ??
      fine(`it ended within ${seconds} s of SIGTERM${ran.step.ok ? ", its step was stored before" : ""}`)
    );
  },
};
