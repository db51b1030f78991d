import type { ThreadId } from "@uncaged/workflow-protocol";
import { timeOfThreadId } from "@uncaged/workflow-util";

/** Which of many threads are wanted. */
export type Window = {
  /** Started then or later, epoch ms. */
  readonly since: number | null;
  /** The newest so many. */
  readonly limit: number | null;
  /** Passing over so many that are newer. */
  readonly offset: number;
};

/** How a thread is looked at; `look` gives `null` for one that does not belong to the list. */
export type Looks<T> = {
  readonly look: (thread: ThreadId) => T | null;
  /** The same question without an answer to show: for threads that are passed over. */
  readonly isListed: (thread: ThreadId) => boolean;
};

/**
 * The threads in the window, oldest first, one by one. Only they are looked at, and those that are newer: `ids` ascend,
 * and so does the time in them.
 */
export function* selectThreads<T>(
  ids: readonly ThreadId[],
  { since, limit, offset }: Window,
  looks: Looks<T>,
): Generator<T> {
  const start = since === null ? 0 : firstSince(ids, since);
  const end = passOver(ids, { start, count: offset }, looks.isListed);
  if (limit === null) yield* lookForward(ids, { start, end }, looks.look);
  else yield* lookBack(ids, { start, end, limit }, looks.look).reverse();
}

/** Where the ids begin whose threads were started then or later. */
function firstSince(ids: readonly ThreadId[], since: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const id = ids[middle];
    if (id === undefined || timeOfThreadId(id) >= since) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where the newest ones begin that are passed over. */
function passOver(
  ids: readonly ThreadId[],
  { start, count }: { readonly start: number; readonly count: number },
  isListed: (thread: ThreadId) => boolean,
): number {
  let [place, left] = [ids.length, count];
  while (place > start && left > 0) {
    place -= 1;
    const id = ids[place];
    if (id !== undefined && isListed(id)) left -= 1;
  }
  return place;
}

function* lookForward<T>(
  ids: readonly ThreadId[],
  { start, end }: { readonly start: number; readonly end: number },
  look: (thread: ThreadId) => T | null,
): Generator<T> {
  for (let place = start; place < end; place += 1) {
    const id = ids[place];
    const found = id === undefined ? null : look(id);
    if (found !== null) yield found;
  }
}

/** The newest of them, newest first. */
function lookBack<T>(
  ids: readonly ThreadId[],
  { start, end, limit }: { readonly start: number; readonly end: number; readonly limit: number },
  look: (thread: ThreadId) => T | null,
): T[] {
  const found: T[] = [];
  for (let place = end - 1; place >= start && found.length < limit; place -= 1) {
    const id = ids[place];
    const one = id === undefined ? null : look(id);
    if (one !== null) found.push(one);
  }
  return found;
}
