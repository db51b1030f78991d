// The one place with lazy imports of commands: a process loads the code of the command it runs and of no other.
// Each entry is a separate chunk of the bundle.

export const load = {
  logRemote: async () => (await import("../commands/thread/remote-read.js")).logRemote,
  remoteInit: async () => (await import("../commands/remote.js")).remoteInit,
  remoteStatus: async () => (await import("../commands/remote.js")).remoteStatus,
  remoteGc: async () => (await import("../commands/remote.js")).remoteGc,
  worker: async () => (await import("../commands/worker.js")).worker,
  casPutText: async () => (await import("../commands/cas/put-text.js")).casPutText,
  casFilePut: async () => (await import("../commands/cas/file.js")).casFilePut,
  casFileGet: async () => (await import("../commands/cas/file.js")).casFileGet,
  ui: async () => (await import("../commands/ui.js")).ui,
  report: async () => (await import("../commands/report.js")).report,
  log: async () => (await import("../commands/log.js")).log,
  doctor: async () => (await import("../commands/doctor/doctor.js")).doctor,
  init: async () => (await import("../commands/init.js")).init,
  setup: async () => (await import("../commands/setup/setup.js")).setup,
  complete: async () => (await import("../main-complete.js")).mainComplete,
  completion: async () => (await import("../commands/completion.js")).completion,
  completeHelp: async () => (await import("../help/complete.js")).completeHelp,
  skill: async () => (await import("../commands/skill.js")).skill,
  helpTopic: async () => (await import("../commands/help-topic.js")).helpTopic,
};
