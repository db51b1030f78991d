// Node.js 22.8 and newer keep compiled code between processes, but only what V8 compiles when it reads a file: functions
// that are compiled at their first call are compiled again in every process. So what every step runs is compiled whole.

/** Bundles of which a step runs a third; commands that run less of `main.js` would pay for all of it. */
const EAGER: ReadonlySet<string> = new Set(["kit.js", "main-step.js"]);

/**
 * Bundles most modules of which are needed whenever they are read, so that they run all of them at once. On Node.js 20 a step
 * takes 8 to 12 of 190 ms less by that, and a page of help 3 to 9 of 127; bun and Node.js 24 gain little. Completion gains
 * nothing, and every other command would lose 12 ms.
 */
export function isFlat(name: string): boolean {
  return EAGER.has(name) || name === "main-help.js";
}

/** Where there is no cache, compiling what is never called would only cost. */
const IF_KEPT = `if(require("node:module").getCompileCacheDir?.())require("node:v8").setFlagsFromString`;

/** The files with each such bundle behind one that turns lazy compilation off; its own first line turns it on again. */
export function compileWhole(files: ReadonlyMap<string, string>, banner: string): Map<string, string> {
  return new Map(
    [...files].flatMap(([name, text]): readonly (readonly [string, string])[] => {
      if (!EAGER.has(name)) return [[name, text]];
      const whole = `whole-${name}`;
      const first = `${banner}\n${IF_KEPT}("--no-lazy");\nmodule.exports=require("./${whole}");\n`;
      return [
        [name, first],
        [whole, text.replace(banner, () => `${banner}\n${IF_KEPT}("--lazy");`)],
      ];
    }),
  );
}
