// The one place with lazy imports: building the command line loads none of the code behind it. A process loads the
// command that it runs, and `uwf`, which mounts this group, pays nothing for it on the way of a step.

export const load = {
  get: async () => (await import("./commands/nodes.js")).get,
  put: async () => (await import("./commands/nodes.js")).put,
  has: async () => (await import("./commands/nodes.js")).has,
  refs: async () => (await import("./commands/nodes.js")).refs,
  walk: async () => (await import("./commands/nodes.js")).walk,
  list: async () => (await import("./commands/nodes.js")).list,
  schemaPut: async () => (await import("./commands/schema.js")).schemaPut,
  schemaGet: async () => (await import("./commands/schema.js")).schemaGet,
  schemaList: async () => (await import("./commands/schema.js")).schemaList,
  schemaValidate: async () => (await import("./commands/schema.js")).schemaValidate,
  reindex: async () => (await import("./commands/upkeep.js")).reindex,
  gc: async () => (await import("./commands/gc.js")).gc,
  export: async () => (await import("./commands/export.js")).exportToFile,
  import: async () => (await import("./commands/import.js")).importFile,
  importRoot: async () => (await import("./commands/import.js")).importFromRoot,
  pack: async () => (await import("./commands/pack.js")).pack,
  du: async () => (await import("./commands/upkeep.js")).du,
  verify: async () => (await import("./commands/upkeep.js")).verify,
};
