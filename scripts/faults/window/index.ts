import type { Kind, Session } from "../frame/index.js";
import { compare } from "./compare.js";
import { randomExpression } from "./expressions.js";
import { randomHistory } from "./histories.js";

/** The head window is an analysis that could be wrong in silence: it is compared with what it spares. */
export const window: Kind = {
  name: "window",
  title: "random conditions over the last steps they need and over the whole history",
  sampleRounds: 1000,
  weight: 1,
  goals: { "expressions and histories": 100_000 },
  run,
};

async function run({ random, more, count, broken }: Session): Promise<void> {
  for (let round = 0; more(round); round += 1) {
    const [expression, history] = [randomExpression(random), randomHistory(random)];
    const { windowed, difference } = await compare(expression, history);
    count("expressions and histories");
    if (windowed) count("decided over a window");
    if (difference !== null)
      broken("a decision over the window is the decision over the history", difference);
  }
}
