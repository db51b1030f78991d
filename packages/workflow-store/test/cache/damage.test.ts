import { writeFileSync } from "node:fs";
import { hashBytes } from "@uncaged/json-cas";
import type { CasRef, ModeratorContext } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { threadAt } from "../support/index.js";
import { bytesOf, chain, fileOf, keep, known, type Lab, openLab, plain, read } from "./support.js";

let lab: Lab;
let head: CasRef;
let expected: ModeratorContext;
let sound: Buffer;

beforeEach(async () => {
  lab = await openLab();
  head = (await chain(lab, 3)).at(-1)!;
  expected = plain(lab, head);
  keep(lab, head);
  sound = bytesOf(lab)!;
});

/** Whether a cache with these bytes is taken for none; what is read is right in any case. */
function isNoticed(bytes: Uint8Array): boolean {
  writeFileSync(fileOf(lab), bytes);
  const { context, known } = read(lab, head);
  expect(context).toEqual(expected);
  return known === 0;
}

/** The bytes with a seal that fits: what only somebody who means it can write. */
function sealed(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([body, Buffer.from(`,"${hashBytes(body)}"]\n`)]);
}

/** All lines but the seal's. */
function lines(): string[] {
  return sound.toString("utf8").split("\n").slice(0, -2);
}

function changed(at: number, change: (byte: number) => number): Buffer {
  const bytes = Buffer.from(sound);
  bytes[at] = change(bytes[at]!);
  return bytes;
}

describe("a damaged cache is noticed, and nothing it says is believed", () => {
  it("wherever a bit is flipped", () => {
    for (let at = 0; at < sound.length; at += 1)
      expect(isNoticed(changed(at, (byte) => byte ^ (1 << (at % 8))))).toBe(true);
  });

  it("wherever a byte is zeroed", () => {
    for (let at = 0; at < sound.length; at += 1) expect(isNoticed(changed(at, () => 0))).toBe(true);
  });

  it("wherever it is cut", () => {
    for (let size = 0; size < sound.length; size += 1) expect(isNoticed(sound.subarray(0, size))).toBe(true);
  });

  it("wherever two bytes are swapped", () => {
    for (let at = 1; at < sound.length; at += 1) {
      const bytes = Buffer.from(sound);
      [bytes[at - 1], bytes[at]] = [bytes[at]!, bytes[at - 1]!];
      if (!bytes.equals(sound)) expect(isNoticed(bytes)).toBe(true);
    }
  });

  it("where something was written behind it, before it or twice", () => {
    expect(isNoticed(Buffer.concat([sound, Buffer.from("\n")]))).toBe(true);
    expect(isNoticed(Buffer.concat([Buffer.from("\n"), sound]))).toBe(true);
    expect(isNoticed(Buffer.concat([Buffer.from("\ufeff"), sound]))).toBe(true);
    expect(isNoticed(Buffer.concat([sound, sound]))).toBe(true);
  });

  it("where a line is gone, doubled, or in another place", () => {
    const [header, one, two, three] = lines();
    for (const some of [
      [header, two, three],
      [header, one, two],
      [header, one, one, two, three],
      [header, two, one, three],
      [one, two, three],
    ]) {
      const seal = sound.toString("utf8").split("\n").at(-2);
      expect(isNoticed(Buffer.from(`${[...some, seal].join("\n")}\n`))).toBe(true);
    }
  });

  it("with a line of another thread", async () => {
    const [other] = await chain(lab, 1, head);
    keep(lab, other!, threadAt(2));
    const stranger = bytesOf(lab, threadAt(2))!.toString("utf8").split("\n")[4]!;
    const [header, one, two] = lines();
    const seal = sound.toString("utf8").split("\n").at(-2);
    expect(isNoticed(Buffer.from(`${[header, one, two, stranger, seal].join("\n")}\n`))).toBe(true);
  });

  it("where it is of another version or of another program", () => {
    const [header, ...rest] = lines();
    const other = [header!.replace(",1,", ",2,"), ...rest, ""].join("\n");
    expect(isNoticed(sealed(other))).toBe(true);
    expect(isNoticed(Buffer.from('{"format": "something else"}\n'))).toBe(true);
    expect(isNoticed(Buffer.alloc(4096, 7))).toBe(true);
  });

  it("where it is of another start", async () => {
    const other = await openLab("Another task");
    const [first] = await chain(other, 1);
    keep(other, first!);
    expect(isNoticed(bytesOf(other)!)).toBe(true);
  });

  it("with a matching seal and invalid content", () => {
    const [header, one, two] = lines();
    expect(isNoticed(sealed(""))).toBe(true);
    expect(isNoticed(sealed(`${header}\n`))).toBe(true);
    expect(isNoticed(sealed(`${header}\n,nonsense\n`))).toBe(true);
    expect(isNoticed(sealed(`${header}\n${one}\n,"and"\n`))).toBe(true);
    expect(isNoticed(sealed(`${header}\n${one}\n${two!.replace('"role"', '"rule"')}\n`))).toBe(true);
    expect(isNoticed(sealed(`${header}\n${one!.replace(/^,"./, ',"u')}\n`))).toBe(true);
    expect(isNoticed(sealed(`${header}\n,"0123456789ABC",null\n`))).toBe(true);
  });

  it("and is rebuilt by the next step", () => {
    for (const bytes of [
      Buffer.alloc(0),
      sound.subarray(0, 100),
      Buffer.alloc(sound.length),
      Buffer.concat([sound, sound]),
    ]) {
      writeFileSync(fileOf(lab), bytes);
      expect(keep(lab, head)).toEqual(expected);
      expect(bytesOf(lab)).toEqual(sound);
    }
  });
});

describe("an intact cache of another thread", () => {
  it("is used as far as its hashes match this history", async () => {
    const fork = await chain(lab, 2, head);
    keep(lab, fork[1]!, threadAt(2));
    writeFileSync(fileOf(lab), bytesOf(lab, threadAt(2))!);
    expect(known(lab, head)).toBe(3);
    expect(keep(lab, head)).toEqual(expected);
  });
});
