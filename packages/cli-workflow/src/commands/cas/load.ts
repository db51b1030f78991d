/** The lazy import of the group: only gc, export, import, du and verify --repair ask what uwf knows beyond the store. */
export async function loadHooks(): Promise<typeof import("./hooks.js").hooksOf> {
  return (await import("./hooks.js")).hooksOf;
}
