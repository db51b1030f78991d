import type { Breach } from "../invariants/index.js";
import type { Book, Interval } from "./types.js";

export function openBook(): Book {
  return {
    threads: new Set(),
    origins: new Map(),
    done: new Map(),
    doubts: new Set(),
    orphans: [],
    heads: new Set(),
    sightings: [],
    collected: 0,
  };
}

export function activeThreads(book: Book): readonly string[] {
  return [...book.threads].filter((thread) => !book.done.has(thread) && !book.doubts.has(thread));
}

export function isDone(book: Book, thread: string, by: string, { ended }: Interval): void {
  book.doubts.delete(thread);
  if (!book.done.has(thread)) book.done.set(thread, { by, at: ended });
}

type Seen = {
  readonly thread: string;
  readonly head: string;
  /** `null`: the answer does not say. */
  readonly done: boolean | null;
};

/** Writes down where a thread was seen; ended once, it must not be seen going on later. */
export function see(book: Book, by: string, { thread, head, done }: Seen, when: Interval): readonly Breach[] {
  book.sightings.push({ ...when, thread, head, by });
  book.heads.add(head);
  const ended = book.done.get(thread);
  if (done === true) isDone(book, thread, by, when);
  if (done !== false || ended === undefined || ended.at >= when.began) return [];
  const evidence = `${thread}: ended according to ${ended.by}, later active according to ${by}`;
  return [{ promise: "what has ended stays ended", evidence }];
}
