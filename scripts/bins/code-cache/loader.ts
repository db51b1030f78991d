import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { Script } from "node:vm";

// What stands at dist/bin/<name>.js for Node.js in place of a large bundle, which is <name>.code.js beside it. V8 takes
// 10 ms to compile what one step runs of such a file; here what it has compiled is kept, and taken next time:
//
//   <storage root>/cache/code/<name>-<version of Node.js>-<architecture>.bin
//
//   256 bytes  what the code was made of and by whom, filled up with zeros
//   twice      the code, as V8 gives it
//
// V8 looks at its own version and flags and at the length of the source, and believes the rest, up to the crash. So the
// mark names the bundle, the `node` that compiled it, and the file's own inode: what was copied, cloned or unpacked is
// none of ours, whatever it says. The second copy notices damage (a sum takes 2 ms in JavaScript that is not warm).
// Whoever can write in the storage root can run commands in a step (config.yaml), so a step and its agents read code from
// there, and no other command does: `thread read` in somebody else's storage root executes nothing of it.

declare const module: { exports: unknown };
declare const require: (name: string) => unknown;

type Wrapped = (exports: unknown, load: typeof require, own: object, file: string, dir: string) => void;

/** What is to be kept: what V8 had to compile, or more of what it had kept. */
type Compiled = {
  readonly script: Script;
  readonly source: Source;
  readonly place: string;
  readonly generation: number;
};

type Kept = { readonly code: Buffer; readonly generation: number };

type Source = {
  readonly bytes: Buffer;
  /** Epoch ms: of a file that somebody edits to look into something. 0 for a library: every package has a copy of it. */
  readonly modified: number;
};

const RUNTIME = `${process.version}-${process.arch}`;

const MARK_BYTES = 256;

/** A regular file that only its owner can read and write. */
const MODE = constants.S_IFREG | 0o600;

/** The character code of the first generation's digit, less one. */
const ZERO = 48;

/** The build ends every bundle with a comment that holds its hash. */
const HASH_BYTES = 32;

/** What we keep is a tenth of that. */
const LIMIT = 16 * 1024 * 1024;

/** So often a file is written: the first run may take a short way, and leave the rest to be compiled again each time. */
const GENERATIONS = 3;

/** Command lines of ours, which an agent may call in somebody else's storage root. */
const COMMAND_LINES: ReadonlySet<string> = new Set(["main.js", "json-cas.js"]);

const root = rootOf(process.env);
const compiled: Compiled[] = [];
const libraries = new Map<string, { exports: unknown }>();

if (root !== null) {
  process.on("exit", (code) => {
    if (code === 0) for (const one of compiled) quietly(() => keep(root, one));
  });
}
run(import.meta.filename, basename(import.meta.filename).replace(/\.js$/, ".code.js"), module);

/** The storage root of the run that this process belongs to, or of the step that it takes. */
function rootOf(env: NodeJS.ProcessEnv): string | null {
  const name = basename(import.meta.filename);
  const isAgent = Boolean(env.UWF_RUN && env.UWF_HEAD) && !COMMAND_LINES.has(name);
  if (!isAgent && name !== "main-step.js") return null;
  const named = env.UNCAGED_WORKFLOW_STORAGE_ROOT || env.WORKFLOW_STORAGE_ROOT;
  const chosen = named || (env.HOME ? join(env.HOME, ".uncaged/workflow") : "");
  return isAbsolute(chosen) ? chosen : null;
}

/** Runs one file as `require` would. */
function run(name: string, file: string, own: { exports: unknown }): void {
  const path = join(import.meta.dirname, file);
  const source = sourceAt(path);
  const place = root === null ? null : join(root, "cache/code", `${basename(name, ".js")}-${RUNTIME}.bin`);
  const kept = place === null ? null : quietly(() => read(place, source));
  const script = new Script(functionIn(file, source), {
    filename: path,
    ...(kept === null ? {} : { cachedData: kept.code }),
  });
  const generation = kept !== null && script.cachedDataRejected === false ? kept.generation + 1 : 1;
  if (place !== null && generation <= GENERATIONS) compiled.push({ script, source, place, generation });
  const wrapped = script.runInThisContext() as Wrapped;
  wrapped(own.exports, load, own, path, import.meta.dirname);
}

/** The build has made a function of a bundle of ours; a library is one that `require` can load too. */
function functionIn(file: string, { bytes }: Source): string {
  const text = bytes.toString("latin1");
  return isOwn(file) ? text : `(function(exports,require,module,__filename,__dirname){${text}\n})`;
}

function isOwn(file: string): boolean {
  return file.endsWith(".code.js");
}

function load(name: string): unknown {
  if (root === null || !name.startsWith("./library-")) return require(name);
  const known = libraries.get(name);
  if (known !== undefined) return known.exports;
  const own = { exports: {} };
  run(name, name, own);
  libraries.set(name, own);
  return own.exports;
}

/** Open while it is read: a time of one file and the bytes of another would never be found out. */
function sourceAt(path: string): Source {
  const fd = openSync(path, "r");
  try {
    const { mtimeMs, size } = fstatSync(fd);
    return { modified: isOwn(path) ? mtimeMs : 0, bytes: bytesOf(fd, size) };
  } finally {
    closeSync(fd);
  }
}

/** Without the rounds of `readFileSync`, which takes half a millisecond more for both files. */
function bytesOf(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let done = 0;
  for (let read = -1; read !== 0 && done < size; done += read)
    read = readSync(fd, bytes, done, size - done, done);
  return bytes.subarray(0, done);
}

/** The code that is kept of a source; `null` when there is none that is ours, whole and of this source. */
function read(place: string, source: Source): Kept | null {
  const fd = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (stat.mode !== MODE || stat.size > LIMIT || stat.uid !== (process.geteuid?.() ?? stat.uid))
      return null;
    return keptIn(bytesOf(fd, stat.size), source, stat);
  } finally {
    closeSync(fd);
  }
}

function keptIn(bytes: Buffer, source: Source, own: Inode): Kept | null {
  const length = (bytes.length - MARK_BYTES) / 2;
  const generation = (bytes[0] ?? 0) - ZERO;
  if (!(length > 0) || !bytes.subarray(0, MARK_BYTES).equals(markOf(source, { length, generation, own })))
    return null;
  const code = bytes.subarray(MARK_BYTES, MARK_BYTES + length);
  return code.equals(bytes.subarray(MARK_BYTES + length)) ? { code, generation } : null;
}

/** Keeps what V8 has compiled up to now. Nothing is synced: what a power cut leaves is not twice the same. */
function keep(within: string, { script, source, place, generation }: Compiled): void {
  const [cache, folder] = [join(within, "cache"), join(within, "cache/code")];
  // Never makes a storage root, and changes nothing behind a link.
  for (const dir of [cache, folder]) {
    quietly(() => mkdirSync(dir));
    if (!lstatSync(dir).isDirectory()) return;
  }
  const code = script.createCachedData();
  const making = place.replace(/\.bin$/, ".new");
  rmSync(making, { force: true });
  const fd = openSync(making, "wx", MODE & 0o777);
  try {
    const mark = markOf(source, { length: code.length, generation, own: fstatSync(fd) });
    writeFileSync(fd, Buffer.concat([mark, code, code]));
    renameSync(making, place);
  } catch (error) {
    rmSync(making, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

type Inode = { readonly dev: number; readonly ino: number };

type Marked = { readonly length: number; readonly generation: number; readonly own: Inode };

function markOf({ bytes, modified }: Source, { length, generation, own }: Marked): Buffer {
  const { size, mtimeMs } = statSync(process.execPath);
  const mark = Buffer.alloc(MARK_BYTES);
  const words = [generation, "uwf-code", length, bytes.length, modified, size, mtimeMs, own.dev, own.ino];
  mark.write(`${words.join(" ")} `, "latin1");
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
