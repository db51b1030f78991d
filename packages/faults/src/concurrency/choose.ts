import type { Random } from "../frame/index.js";
import type { World } from "../world/index.js";
import {
  type ActMaker,
  collect,
  doubtOf,
  fork,
  kill,
  list,
  listAll,
  litter,
  next,
  put,
  read,
  show,
  start,
  step,
  steps,
  workflows,
} from "./acts.js";
import { activeThreads } from "./book.js";
import type { Act, Book } from "./types.js";

/** How often each is chosen, relative to the others. */
const MIX: readonly (readonly [ActMaker, number])[] = [
  [step, 30],
  [show, 18],
  [listAll, 7],
  [list, 6],
  [steps, 7],
  [read, 5],
  [put, 5],
  [start, 4],
  [fork, 3],
  [kill, 3],
  [next, 3],
  [litter, 2],
  [collect, 3],
  [workflows, 3],
];

const TOTAL = MIX.reduce((sum, [, weight]) => sum + weight, 0);

/** The next thing to do: a doubt is settled first, and there is always a thread to step. */
export function chooseAct(world: World, book: Book, random: Random): Act {
  const [doubt] = book.doubts;
  if (doubt !== undefined) return doubtOf(book, doubt);
  if (activeThreads(book).length === 0) return start(world, book, random);
  let left = random.below(TOTAL);
  const chosen = MIX.find(([, weight]) => {
    left -= weight;
    return left < 0;
  });
  return (chosen?.[0] ?? show)(world, book, random);
}
