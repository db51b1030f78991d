import type { Move } from "./move.js";
import type { Subject } from "./types.js";

// What the model says in the thread: solve-issue with one rejected review, and everything that can come between.

export const TASK = "parsePort takes 80x for a port. Fix it.";

/** What the shell prints when the tool has really run: the digits are put together by it. */
export const TOOL_RESULT = "tool-ran-4221";

// Nothing that is substituted: gemini refuses to run such a command.
const TOOL_COMMAND = "printf 'tool-ran-%s%s\\n' 42 21";

const PLAN =
  "---\nplan: Check the whole text.\nsteps: [Check it in src/port.ts]\n---\nThe cause is parseInt.";
const BUILT = "---\nfilesChanged: [src/port.ts]\nsummary: Only whole numbers now.\n---\nFirst attempt.";
const BARE = "I looked at it, and it is not good enough yet.";
const REJECTED = "---\napproved: false\ncomments: Port 0 is still accepted.\n---\nOne point is open.";
const REBUILT = "---\nfilesChanged: [src/port.ts]\nsummary: Port 0 is refused as well.\n---\nSecond attempt.";
const APPROVED = "---\napproved: true\ncomments: Settled.\n---\nReady to be merged.";

/** One step as it has to come out: who, what was said, how often the model was asked with success. */
export type Expected = {
  readonly role: string;
  readonly replies: readonly string[];
  readonly tools: number;
  readonly calls: number;
  /** The step whose session this one goes on with, by its place. */
  readonly continues: number | null;
};

export const EXPECTED: readonly Expected[] = [
  { role: "planner", replies: [PLAN], tools: 1, calls: 2, continues: null },
  { role: "developer", replies: [BUILT], tools: 1, calls: 2, continues: null },
  { role: "reviewer", replies: [BARE, REJECTED], tools: 0, calls: 2, continues: null },
  { role: "developer", replies: [REBUILT], tools: 1, calls: 2, continues: 1 },
  { role: "reviewer", replies: [APPROVED], tools: 0, calls: 1, continues: 2 },
];

/** The model's moves, one for each time it is asked. */
export function movesOf({ shell, givesUpAfter }: Subject): readonly Move[] {
  const tool = shell(TOOL_COMMAND);
  const says = (text: string): Move => ({ kind: "says", text });
  return [
    ...[tool, says(PLAN)],
    ...new Array<Move>(givesUpAfter ?? 1).fill({ kind: "fails", status: 500 }),
    ...[tool, says(BUILT)],
    ...[says(BARE), says(REJECTED)],
    ...[tool, says(REBUILT)],
    says(APPROVED),
  ];
}
