// The one place with lazy imports: building the command line loads none of the code behind it. A process loads the
// command that it runs, and `uwf`, which mounts this group, pays nothing for it on the way of a step.

export const load = {
  get: async () => (await import("../commands/get.js")).get,
  put: async () => (await import("../commands/put.js")).put,
  has: async () => (await import("../commands/has.js")).has,
  refs: async () => (await import("../commands/refs.js")).refs,
  walk: async () => (await import("../commands/walk.js")).walk,
  list: async () => (await import("../commands/list.js")).list,
  schemaPut: async () => (await import("../commands/schema-put.js")).schemaPut,
  schemaGet: async () => (await import("../commands/schema-get.js")).schemaGet,
  schemaList: async () => (await import("../commands/schema-list.js")).schemaList,
  schemaValidate: async () => (await import("../commands/schema-validate.js")).schemaValidate,
  reindex: async () => (await import("../commands/reindex.js")).reindex,
  gc: async () => (await import("../commands/gc.js")).gc,
  export: async () => (await import("../commands/export.js")).exportToFile,
  import: async () => (await import("../commands/import.js")).importFile,
  importRoot: async () => (await import("../commands/import-root.js")).importFromRoot,
  du: async () => (await import("../commands/du.js")).du,
  verify: async () => (await import("../commands/verify.js")).verify,
};
