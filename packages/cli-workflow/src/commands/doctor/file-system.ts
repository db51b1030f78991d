/** What a file system promises, by its kind. */
export type FileSystemKind = {
  readonly kind: "local" | "network" | "memory" | "unknown";
  /** "" where it is not known. */
  readonly name: string;
};

// Magic numbers of statfs(2) and linux/magic.h.
const KINDS: Readonly<Record<number, readonly [FileSystemKind["kind"], string]>> = {
  61267: ["local", "ext"],
  1481003842: ["local", "XFS"],
  2435016766: ["local", "Btrfs"],
  801189825: ["local", "ZFS"],
  4076150800: ["local", "F2FS"],
  1382369651: ["local", "ReiserFS"],
  827541066: ["local", "JFS"],
  3393526350: ["local", "bcachefs"],
  2035054128: ["local", "overlayfs"],
  19780: ["local", "FAT"],
  538032816: ["local", "exFAT"],
  1397118030: ["local", "NTFS"],
  16914836: ["memory", "tmpfs"],
  2240043254: ["memory", "ramfs"],
  26985: ["network", "NFS"],
  4283649346: ["network", "CIFS"],
  4266872130: ["network", "SMB"],
  20859: ["network", "SMB"],
  16914839: ["network", "9P"],
  1702057286: ["network", "FUSE"],
  12805120: ["network", "Ceph"],
  198183888: ["network", "Lustre"],
  18225520: ["network", "GFS2"],
  1952539503: ["network", "OCFS2"],
  1397113167: ["network", "AFS"],
  1937076805: ["network", "Coda"],
  1196443219: ["network", "GPFS"],
};

/** The kind behind the magic number of statfs(2). Other systems than Linux have numbers of their own. */
export function fileSystemKind(magic: number): FileSystemKind {
  // Some runtimes give it signed.
  const [kind, name] = KINDS[magic >>> 0] ?? ["unknown", ""];
  return { kind, name };
}
