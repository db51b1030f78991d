import type { Case } from "../types.js";
import { fine, wrongWith } from "../verdict.js";

/** Keys come into prompts and replies by accident; here the task itself has them. Every run of the check looks for them. */
export const keys: Case = {
  name: "keys",
  needsGood: true,
  run: async (lab) => {
    const words = lab.keys.map(({ value }) => value).join(" ");
    const task = `${lab.request.task}\n\nThe text has these words in it, as they are: ${words}`;
    const ran = await lab.play(await lab.newThread({ task, meta: null }), {});
    return wrongWith(ran) ?? fine("the keys of the environment and of .env are in no node");
  },
};
