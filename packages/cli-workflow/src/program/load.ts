// The one place with lazy imports of commands: a process loads the code of the command it runs and of no other.
// Each entry is a separate chunk of the bundle.

export const load = {
  casPutText: async () => (await import("../commands/cas/put-text.js")).casPutText,
  casFilePut: async () => (await import("../commands/cas/file.js")).casFilePut,
  casFileGet: async () => (await import("../commands/cas/file.js")).casFileGet,
  complete: async () => (await import("../main-complete.js")).mainComplete,
  completeHelp: async () => (await import("../help/complete.js")).completeHelp,
};
