import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { Script } from "node:vm";

// What stands at dist/bin/<name>.js for Node.js in place of a large bundle, which is <name>.code.js beside it. V8 takes
// 10 ms to compile what one step runs of such a file; here what it has compiled is kept, and taken next time:
//
//   <storage root>/cache/code/<name>-<version of Node.js>-<architecture>.bin
//
//   256 bytes  mark, bundle and length of the code, filled up with zeros
//   twice      the code, as V8 gives it
//
// V8 looks at its own version and flags and at the length of the source, and believes the rest, up to the crash: the
// mark notices another bundle, the second copy notices damage (a sum takes 2 ms in JavaScript that is not warm).
// Whoever can write in the storage root can run commands in a step (config.yaml), so only a step and the agents it starts
// read code from there; and only from files that nobody else can have written.

declare const module: { exports: unknown };
declare const require: (name: string) => unknown;

type Wrapped = (exports: unknown, load: typeof require, own: object, file: string, dir: string) => void;

/** One that is loaded: its code, and the file to keep it in when that is not what stands there. */
type Loaded = { readonly script: Script; readonly source: Source; readonly keepIn: string | null };

type Source = { readonly bytes: Buffer; readonly modified: number };

const MARK_BYTES = 256;

/** The build ends every bundle with a comment that holds its hash. */
const HASH_BYTES = 32;

/** A step runs up to here without anything to keep; what is larger is somebody else's. */
const LIMIT = 16 * 1024 * 1024;

const root = rootOf(process.env);
const loaded: Loaded[] = [];
const libraries = new Map<string, unknown>();

if (root === null) {
  module.exports = require(`./${codeOf(basename(import.meta.filename))}`);
} else {
  process.on("exit", (code) => {
    if (code === 0) for (const one of loaded) quietly(() => keep(root, one));
  });
  run(root, import.meta.filename, codeOf(basename(import.meta.filename)), module);
}

/** The storage root of the run that this process belongs to, or of the step that it takes. */
function rootOf(env: NodeJS.ProcessEnv): string | null {
  const isOfRun = Boolean(env.UWF_RUN && env.UWF_HEAD);
  if (!isOfRun && basename(import.meta.filename) !== "main-step.js") return null;
  const named = env.UNCAGED_WORKFLOW_STORAGE_ROOT || env.WORKFLOW_STORAGE_ROOT;
  const chosen = named || (env.HOME ? join(env.HOME, ".uncaged/workflow") : "");
  return isAbsolute(chosen) ? chosen : null;
}

function codeOf(name: string): string {
  return name.replace(/\.js$/, ".code.js");
}

/** Runs one file as `require` would. */
function run(within: string, name: string, file: string, own: { exports: unknown }): unknown {
  const path = join(import.meta.dirname, file);
  const source = sourceAt(path);
  const place = join(within, "cache/code", `${basename(name, ".js")}-${process.version}-${process.arch}.bin`);
  const cachedData = quietly(() => read(place, source)) ?? undefined;
  const text = `(function(exports,require,module,__filename,__dirname){${source.bytes.toString("latin1")}\n})`;
  const script = new Script(text, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) });
  const isKept = cachedData !== undefined && script.cachedDataRejected === false;
  loaded.push({ script, source, keepIn: isKept ? null : place });
  const wrapped = script.runInThisContext() as Wrapped;
  wrapped(own.exports, load, own, path, import.meta.dirname);
  return own.exports;
}

function load(name: string): unknown {
  if (root === null || !name.startsWith("./library-")) return require(name);
  if (!libraries.has(name)) {
    const own = {
      exports: {} as unknown,
      path: import.meta.dirname,
      filename: join(import.meta.dirname, name),
    };
    libraries.set(name, own);
    run(root, name, name, own);
  }
  return (libraries.get(name) as { readonly exports: unknown }).exports;
}

/** Open while it is read: a time of one file and the bytes of another would never be found out. */
function sourceAt(path: string): Source {
  const fd = openSync(path, "r");
  try {
    return { modified: fstatSync(fd).mtimeMs, bytes: readFileSync(fd) };
  } finally {
    closeSync(fd);
  }
}

/** The code that is kept of a source; `null` when there is none that is ours, whole and of this source. */
function read(place: string, source: Source): Buffer | null {
  const fd = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { size, mode, uid } = fstatSync(fd);
    const isOurs = (mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o022) === 0;
    if (!isOurs || size > LIMIT || (process.geteuid !== undefined && uid !== process.geteuid())) return null;
    return codeIn(readFileSync(fd), source);
  } finally {
    closeSync(fd);
  }
}

function codeIn(bytes: Buffer, source: Source): Buffer | null {
  const length = (bytes.length - MARK_BYTES) / 2;
  if (!(length > 0) || !bytes.subarray(0, MARK_BYTES).equals(markOf(source, length))) return null;
  const code = bytes.subarray(MARK_BYTES, MARK_BYTES + length);
  return code.equals(bytes.subarray(MARK_BYTES + length)) ? code : null;
}

/** Keeps what V8 has compiled up to now. Nothing is synced: what a power cut leaves does not fit its sum. */
function keep(within: string, { script, source, keepIn }: Loaded): void {
  if (keepIn === null) return;
  const [cache, folder] = [join(within, "cache"), join(within, "cache/code")];
  // Never makes a storage root, and changes nothing behind a link.
  for (const dir of [cache, folder]) {
    quietly(() => mkdirSync(dir));
    if (!lstatSync(dir).isDirectory()) return;
  }
  const code = script.createCachedData();
  const making = keepIn.replace(/\.bin$/, ".new");
  rmSync(making, { force: true });
  writeFileSync(making, Buffer.concat([markOf(source, code.length), code, code]), {
    flag: "wx",
    mode: 0o600,
  });
  renameSync(making, keepIn);
}

function markOf({ bytes, modified }: Source, length: number): Buffer {
  const mark = Buffer.alloc(MARK_BYTES);
  mark.write(`uwf-code 1 ${length} ${bytes.length} ${modified} `, "latin1");
  bytes.copy(mark, MARK_BYTES - HASH_BYTES, bytes.length - HASH_BYTES);
  return mark;
}

/** `null` for whatever goes wrong: nobody misses what is kept here. */
function quietly<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
