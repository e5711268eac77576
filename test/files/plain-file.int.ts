import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import {
  lookAtPlain,
  plainText,
  readPlain,
  readPlainAt,
  readPlainLater,
  type PlainRead,
} from "../../src/files/plain-file.ts";
import { isFault } from "../../src/model/fault.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-plain-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);

const whyOf = (read: PlainRead): string => (read.kind === "refused" ? read.why : read.kind);

execFileSync("mkfifo", [at("fifo")]);
writeFileSync(at("file"), "text\n");
symlinkSync("/dev/zero", at("endless"));
symlinkSync(at("fifo"), at("link-to-fifo"));
symlinkSync(at("file"), at("link"));
symlinkSync(at("nowhere"), at("dangling"));
mkdirSync(at("folder"));

test("P4 P2 what is no regular file is never waited for: each kind is reported by name, whether links are followed or not", async (t) => {
  const server = createServer().listen(at("socket"));
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const expected: [name: string, refusing: string, following: string][] = [
    ["fifo", "special", "special"],
    ["socket", "special", "special"],
    ["folder", "folder", "folder"],
    ["endless", "link", "special"],
    ["link-to-fifo", "link", "special"],
    ["link", "link", "read"],
    ["dangling", "link", "absent"],
    ["nothing", "absent", "absent"],
    ["file/below", "absent", "absent"],
    ["file", "read", "read"],
  ];
  for (const [name, refusing, following] of expected) {
    for (const [links, why] of [
      ["refuse", refusing],
      ["follow", following],
    ] as const) {
      const order = { bytesMax: 100, links };
      assert.equal(whyOf(readPlain(at(name), order)), why, `${name}, ${links}`);
      assert.equal(whyOf(await readPlainLater(at(name), order)), why, `${name}, ${links}, later`);
      assert.equal(whyOf(readPlainAt(at(name), { ...order, from: 0 })), why, `${name}, ${links}, a part`);
      assert.equal(lookAtPlain(at(name), links) === null, why === "read", `${name}, ${links}, looked at`);
    }
  }
  assert.equal(whyOf(readPlain("/dev/zero", { bytesMax: 100 })), "special");
});

test("P4 a refusal says which file, what stands there and what to do", () => {
  const thrown = (name: string): unknown => {
    try {
      return plainText(at(name), { bytesMax: 3 });
    } catch (error) {
      return error;
    }
  };
  const fifo = thrown("fifo");
  assert.ok(isFault(fifo, "file_refused"));
  assert.equal(
    fifo.message,
    `${at("fifo")} is a FIFO (named pipe); expected a regular file: remove it (rm ${at("fifo")}) or put a file in its place`,
  );
  const link = thrown("endless");
  assert.ok(isFault(link, "file_refused"));
  assert.match(link.message, /is a link to \/dev\/zero, and links are not followed here/);
  const large = thrown("file");
  assert.ok(isFault(large, "file_refused"));
  assert.match(large.message, /has 5 bytes; expected at most 3: shorten it or remove it/);
  assert.equal(thrown("nothing"), undefined);
});

test("P4 a file of any length is read up to its bound, in parts, and after its deadline not at all", () => {
  const file = at("long");
  writeFileSync(file, Buffer.alloc(3_000_000, "a"));
  const whole = readPlain(file, { bytesMax: 3_000_000 });
  assert.equal(whole.kind === "read" ? whole.bytes.length : whole.kind, 3_000_000);
  assert.equal(whyOf(readPlain(file, { bytesMax: 2_999_999 })), "too_large");
  assert.equal(whyOf(readPlain(file, { bytesMax: 3_000_000, limitMs: -1 })), "too_slow");
  appendFileSync(file, "end");
  const part = readPlainAt(file, { from: 2_999_999, bytesMax: 3 });
  assert.equal(part.kind === "read" ? part.bytes.toString() : part.kind, "aen");
  const behind = readPlainAt(file, { from: 4_000_000, bytesMax: 3 });
  assert.equal(behind.kind === "read" ? behind.bytes.length : behind.kind, 0);
});

const noProc = process.platform === "linux" ? false : "there is no /proc on this system";

test("P4 files of the kernel, which say that they are empty, are read to their end", { skip: noProc }, () => {
  assert.equal(plainText("/proc/self/cmdline", { bytesMax: 1_000_000 })?.includes("node"), true);
});
