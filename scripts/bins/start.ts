import { lstatSync, mkdirSync, writeSync } from "node:fs";
import { codeCacheFolder, ENV, ignoredSignals } from "@uncaged/workflow-util";
import { startHashing } from "../../packages/json-cas/src/hash.js";
import { lack, NEEDED } from "./runtime.js";

// The first file of every binary, before anything else of it is read. build:bins leads `./program.js` to what the
// binary runs. How XXH64 is started, the package keeps to itself: whoever imports it finds it started. A test keeps
// syntax out of it that Node.js 12 cannot read, so that an old one can say that it is old.

const { env, versions } = process;

// bun was started in `/` (see launcher.ts); the program goes to where the person is.
const folder = env[ENV.launchFolder];
if (folder) {
  env.PWD = folder;
  process.chdir(folder);
}
delete env[ENV.launchFolder];

for (const signal of ignoredSignals(env)) process.on(signal, () => {});

const lacking = versions.bun ? null : lack(versions.node, typeof process.getBuiltinModule === "function");
if (lacking !== null) {
  writeSync(2, `error: this program needs ${NEEDED}; ${lacking}\nhint: install one of them\n`);
  process.exitCode = 127;
} else if (versions.bun) {
  // bun's engine compiles what runs often, here twenty times later: most of our processes are over before that pays. A
  // step takes 139 ms instead of 152 (200 pairs). 100 gains no more, and `cas verify` is slower then by a tenth.
  type Engine = { readonly Bun?: { readonly unsafe?: { readonly setJITPolicy?: (scale: number) => void } } };
  const { Bun } = globalThis as Engine;
  const unsafe = Bun ? Bun.unsafe : undefined;
  if (unsafe && unsafe.setJITPolicy !== undefined) unsafe.setJITPolicy(20);
  readAndRun();
} else {
  // Compiled code is kept between processes: a step takes 259 ms instead of 280 on Node.js 24. Node.js 20 has no such cache.
  type Modules = { readonly enableCompileCache?: (folder: string) => unknown };
  const modules = process.getBuiltinModule("node:module") as Modules;
  const cache = modules.enableCompileCache === undefined ? null : codeCacheFolder(env);
  if (cache !== null && isOurs(cache) && modules.enableCompileCache) modules.enableCompileCache(cache);
  void startHashing().then(readAndRun, giveUp);
}

function readAndRun(): void {
  (require("./program.js") as { readonly main: () => void }).main();
}

function giveUp(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  writeSync(2, `error[IO_FAILED]: XXH64 cannot be started: ${reason}\n`);
  writeSync(
    2,
    "hint: on Node.js it needs 10 GB of address space (`ulimit -v`), though little memory; on bun it does not\n",
  );
  process.exit(74);
}

/** Its files are executed: nobody else may be able to write to it. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const uid = process.getuid ? process.getuid() : null;
    return found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
