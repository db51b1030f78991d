// @ts-check
// Planted bugs, below or above the counting of calls: the harness must find each of them.

/** @typedef {typeof import("node:fs")} Fs */

/** @type {Readonly<Record<string, (fs: Fs) => void>>} */
export const plants = {
  /** Nothing is ever synced. */
  "no-fsync": (fs) => {
    fs.fsyncSync = () => {};
  },
  /** A file is replaced in place, as if nobody could die in between. */
  "in-place": (fs) => {
    const rename = fs.renameSync;
    fs.renameSync = (from, to) => {
      if (!String(to).endsWith(".yaml")) return rename(from, to);
      const text = fs.readFileSync(from);
      const fd = fs.openSync(to, "w");
      fs.writeSync(fd, text);
      fs.fsyncSync(fd);
      fs.closeSync(fd);
      fs.unlinkSync(from);
    };
  },
  /** What was written counts as whole, however little the system took. */
  "write-once": (fs) => {
    const write = fs.writeSync;
    fs.writeSync = /** @type {any} */ (
      (/** @type {number} */ fd, /** @type {Uint8Array} */ data, /** @type {any[]} */ ...rest) => {
        /** @type {any} */ (write)(fd, data, ...rest);
        return data.length;
      }
    );
  },
  /** System errors are swallowed. */
  deaf: (fs) => {
    const rename = fs.renameSync;
    fs.renameSync = (from, to) => {
      try {
        rename(from, to);
      } catch {
        // The bug.
      }
    };
  },
};
