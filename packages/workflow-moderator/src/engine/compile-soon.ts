type Engine = { readonly Bun?: { readonly unsafe?: { readonly setJITPolicy?: (scale: number) => void } } };

/** Steps that jsonata walks for so long that compiled code makes up for being compiled (measured on bun 1.4). */
const MANY = 1_000;

/** bun's engine compiles again as soon as it usually does; our launchers tell it to wait, as most runs end before it pays. */
export function compileSoonFor(steps: number): void {
  if (steps >= MANY) (globalThis as Engine).Bun?.unsafe?.setJITPolicy?.(1);
}
