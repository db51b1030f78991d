import type { HistoryLine, ThreadId } from "@uncaged/workflow-protocol";

/** Every ended thread by id. Of two lines of one thread the first counts: ending is final. */
export type History = ReadonlyMap<ThreadId, HistoryLine>;
