import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
};

export type Member = { readonly folder: string; readonly dir: string; readonly manifest: Manifest };

/** The packages that are published, each after those it depends on, else by folder name. */
export function membersInOrder(root: string): readonly Member[] {
  const members = readdirSync(join(root, "packages"))
    .sort()
    .map((folder) => ({ folder, dir: join(root, "packages", folder) }))
    .filter(({ dir }) => existsSync(join(dir, "package.json")))
    .map((one) => ({ ...one, manifest: readManifest(join(one.dir, "package.json")) }))
    .filter(({ manifest }) => manifest.private !== true);
  return inDependencyOrder(members);
}

export function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8"));
}

function inDependencyOrder(members: readonly Member[]): readonly Member[] {
  const byName = new Map(members.map((member) => [member.manifest.name, member]));
  const done = new Set<Member>();
  const visit = (member: Member, above: readonly string[]): void => {
    const { name, dependencies } = member.manifest;
    if (above.includes(name))
      throw new Error(`packages depend on each other: ${[...above, name].join(" → ")}`);
    if (done.has(member)) return;
    for (const dependency of Object.keys(dependencies ?? {}).sort()) {
      const next = byName.get(dependency);
      if (next !== undefined) visit(next, [...above, name]);
    }
    done.add(member);
  };
  for (const member of members) visit(member, []);
  return [...done];
}
