import type { Case, Lab, Ran, Variation } from "../types.js";
import { failing, fine, misbehaved } from "../verdict.js";

type Wrong = readonly [what: string, variation: Partial<Variation>, code: number];

const NO_THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A hash that is none of the thread's. */
const OTHER_HEAD = "0000000000000";

const WRONG: readonly Wrong[] = [
  ["a thread that does not exist", { thread: NO_THREAD }, 3],
  ["a role that the workflow does not have", { role: "no-such-role" }, 4],
  ["a head that has moved (UWF_HEAD)", { head: OTHER_HEAD }, 75],
];

/** What cannot be done ends with another status than 0, and makes no step. */
export const exitCodes: Case = {
  name: "exit-codes",
  needsGood: false,
  run: async (lab) => {
    const told: string[] = [];
    for (const wrong of WRONG) {
      const ran = await playWrong(lab, wrong);
      const [what, , code] = wrong;
      const fix = `for ${what} exit with another status than 0 (the codes of uwf say ${code}), before any work is done`;
      if (ran.code === 0) return failing(`for ${what} it exited with 0`, fix);
      if (ran.code === null) return failing(`for ${what} it ${ran.outcome}`, fix);
      const bad = misbehaved(ran);
      if (bad !== null) return bad;
      told.push(`${ran.code} for ${what}${ran.code === code ? "" : ` (${code} in uwf's table)`}`);
    }
    return fine(told.join(", "));
  },
};

async function playWrong(lab: Lab, [, variation]: Wrong): Promise<Ran> {
  return lab.play(await lab.newThread({ task: null, meta: null }), variation);
}
