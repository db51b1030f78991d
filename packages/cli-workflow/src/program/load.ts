// The one place with lazy imports of commands: a process loads the code of the command it runs and of no other.
// Each entry is a separate chunk of the bundle.

export const load = {
  workflowPut: async () => (await import("../commands/workflow.js")).workflowPut,
  workflowShow: async () => (await import("../commands/workflow.js")).workflowShow,
  workflowList: async () => (await import("../commands/workflow.js")).workflowList,
  threadStart: async () => (await import("../commands/thread/start.js")).threadStart,
  threadStep: async () => (await import("../commands/thread/step.js")).threadStep,
  threadRun: async () => (await import("../commands/thread/run.js")).threadRun,
  threadNext: async () => (await import("../commands/thread/next.js")).threadNext,
  threadShow: async () => (await import("../commands/thread/show.js")).threadShow,
  threadList: async () => (await import("../commands/thread/list.js")).threadList,
  threadSteps: async () => (await import("../commands/thread/steps.js")).threadSteps,
  threadRead: async () => (await import("../commands/thread/read.js")).threadRead,
  threadFork: async () => (await import("../commands/thread/fork.js")).threadFork,
  threadStepDetails: async () => (await import("../commands/thread/step-details.js")).threadStepDetails,
  threadUsage: async () => (await import("../commands/thread/usage.js")).threadUsage,
  threadUnlock: async () => (await import("../commands/thread/unlock.js")).threadUnlock,
  threadKill: async () => (await import("../commands/thread/kill.js")).threadKill,
  casPutText: async () => (await import("../commands/cas/put-text.js")).casPutText,
  log: async () => (await import("../commands/log.js")).log,
  doctor: async () => (await import("../commands/doctor/doctor.js")).doctor,
  setup: async () => (await import("../commands/setup/setup.js")).setup,
  complete: async () => (await import("../main-complete.js")).mainComplete,
  completion: async () => (await import("../commands/completion.js")).completion,
  helpExitCodes: async () => (await import("../commands/help-exit-codes.js")).helpExitCodes,
};
