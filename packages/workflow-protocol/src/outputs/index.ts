export type {
  ForkOutput,
  HistoryReason,
  KillOutput,
  StartOutput,
  StepOutput,
  ThreadListItem,
  ThreadShowOutput,
  ThreadStepsOutput,
  ThreadsIndex,
  WorkflowListItem,
  WorkflowPutOutput,
} from "./types.js";
