type Engine = { readonly Bun?: { readonly unsafe?: { readonly setJITPolicy?: (scale: number) => void } } };

/** From this many steps compiling jsonata's code pays off (measured on bun 1.4). */
const MANY = 1_000;

/** Resets the JIT thresholds of bun's engine: our launchers raise them, since most runs are too short to gain. */
export function compileSoonFor(steps: number): void {
  if (steps >= MANY) (globalThis as Engine).Bun?.unsafe?.setJITPolicy?.(1);
}
