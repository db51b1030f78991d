import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "../world.js";

/** Of ship-issue: sent back by a person once, with a run that failed. */
export type Shipped = {
  readonly thread: string;
  /** Another thread, in which a person is asked. */
  readonly asked: string;
};

const CONFIG = `agents:
  uwf-claude: { command: uwf-claude }
defaultAgent: uwf-claude
`;

/** Threads as they look after a morning's work. */
export function shipping(world: World, repository: string): Shipped {
  for (const name of ["shipping", "shipping-again", "failing"])
    copyFileSync(
      join(repository, `scripts/pictures/pages/${name}.scenario.yaml`),
      world.path(`${name}.yaml`),
    );
  world.write("../bin/uwf-claude", '#!/bin/sh\nexec uwf-mock "$@"\n');
  world.write("../storage/config.yaml", CONFIG);
  world.run(600, "uwf workflow put examples/*.yaml");
  const start = (minutesAgo: number, workflow: string, task: string): string =>
    (JSON.parse(world.run(minutesAgo, `uwf thread start ${workflow} -p "${task}"`)) as { thread: string })
      .thread;
  const play = (minutesAgo: number, command: string, scenario = "shipping"): string =>
    world.play(minutesAgo, `UWF_MOCK_SCENARIO=${world.path(`${scenario}.yaml`)} ${command}`);
  const answer = (minutesAgo: number, thread: string, approved: boolean, comments: string): string =>
    play(
      minutesAgo,
      `uwf thread answer ${thread} --by kim --field approved=${approved} --field comments="${comments}"`,
    );

  const thread = start(
    190,
    "ship-issue",
    "parsePort accepts 80x. It has to refuse what is no port, and to say why.",
  );
  play(188, `uwf thread run ${thread}`);
  answer(121, thread, false, "Say which option had the wrong value: we have four of them.");
  play(119, `uwf thread run ${thread}`, "shipping-again");
  answer(62, thread, true, "Ship it.");
  play(60, `uwf thread step ${thread}`, "failing");
  play(41, `uwf thread run ${thread}`, "shipping-again");

  const asked = start(38, "ship-issue", "The login page redirects in a loop.");
  play(37, `uwf thread run ${asked}`);
  const failing = start(9, "solve-issue", "The tests fail on Mondays.");
  world.run(8, `uwf thread step ${failing} --agent false`);
  return { thread, asked };
}
