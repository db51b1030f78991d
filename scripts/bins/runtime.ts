export const NEEDED = "bun 1.3 or Node.js 20.19, or newer";

/**
 * Why this Node.js cannot run us; `null` where it can. The first versions of 22 and all of 21 are younger than 20.19, and
 * lack what it has.
 */
export function lack(version: string, hasBuiltinModules: boolean): string | null {
  const parts = version.split(".").map(Number);
  const major = parts[0] || 0;
  const isOld = major < 20 || (major === 20 && (parts[1] || 0) < 19);
  return isOld || !hasBuiltinModules ? `this is Node.js ${version}` : null;
}
