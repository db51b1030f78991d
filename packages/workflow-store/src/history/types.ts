import type { HistoryLine, ThreadId } from "@uncaged/workflow-protocol";

/** Every ended thread by id. Of two lines of one thread the first counts: ending is final. */
export type History = ReadonlyMap<ThreadId, HistoryLine>;

/** The same without the lines: a hundred thousand ids, each with the place of its line. */
export type HistoryIndex = {
  /** In the order in which they ended. */
  readonly ids: () => IterableIterator<ThreadId>;
  readonly has: (thread: ThreadId) => boolean;
  /** `null` while the thread has not ended. */
  readonly line: (thread: ThreadId) => HistoryLine | null;
};
