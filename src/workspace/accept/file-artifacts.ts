import { constants } from "node:fs";
import { open, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { readPlainLater, type PlainRead, type Refusal } from "../../files/plain-file.ts";
import {
  isBelow,
  type Artifact,
  type Handed,
  type Output,
  type OutputsReport,
} from "../../model/effects/artifact.ts";
import { Fault } from "../../model/fault.ts";
import { problemsBySchema } from "../../model/values/json-schema.ts";
import { valueAtPointer } from "../../model/values/pointed.ts";
import type { World } from "../../model/world.ts";
import type { Artifacts, HandOrder, OutputsOrder } from "../artifacts.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { digestOf } from "../protect/protected-scan.ts";
import { isGone } from "../snapshot/read-entry.ts";
import { TrustedStore } from "../snapshot/trusted-store.ts";
import { writeWhole } from "../worktree/write-whole.ts";

export interface FileArtifactsOptions {
  readonly world: World;
  readonly folder: string;
}

/** Values that are looked at stand in the journal. */
const VALUE_CHARS_MAX = 262_144;

type Read = { readonly bytes: Buffer } | { readonly problem: string };

/** Declared outputs, kept by digest in a folder of Holdfast's own. */
export function fileArtifacts({ world, folder }: FileArtifactsOptions): Artifacts {
  const kept = new TrustedStore(path.join(folder, "kept"));
  return {
    collect: (order) => collect(kept, order, world),
    hand: (order) => hand(kept, path.join(folder, "handed"), order, world),
    keep: (bytes) => kept.keep(Buffer.from(bytes)),
    read: (digest) => kept.read(digest),
  };
}

async function collect(
  kept: TrustedStore,
  { tree, outputs, fileBytesMax, read: wanted }: OutputsOrder,
  world: World,
): Promise<OutputsReport> {
  const found = await Promise.all(
    outputs.map(async (output) => ({ output, read: await readOutput(tree, output, fileBytesMax) })),
  );
  const pointers = new Map((wanted ?? []).map(({ path: name, at }) => [name, at]));
  const problems = found.flatMap(({ output, read }) =>
    [...problemsOf(output, read), ...valueProblems(read, pointers.get(output.path))].map((problem) => ({
      path: output.path,
      problem,
    })),
  );
  if (problems.length > 0) return { artifacts: [], problems };
  const artifacts: Artifact[] = [];
  for (const { output, read } of found) {
    if (!("bytes" in read)) continue;
    const digest = await kept.keep(read.bytes);
    world.crashPoint("artifacts.kept");
    const at = pointers.get(output.path);
    const values = at === undefined ? {} : { values: valuesIn(read.bytes, at) };
    artifacts.push({ path: output.path, digest, bytes: read.bytes.length, ...values });
  }
  return { artifacts, problems };
}

/** Links are not followed, on no part of the way: what is handed on must lie where it was declared. */
async function readOutput(tree: string, { path: name }: Output, bytesMax: number): Promise<Read> {
  if (!isBelow(name)) return { problem: "its path leads out of the folder that is worked in" };
  try {
    const read = await readInFolder(tree, name, bytesMax);
    if (read === "linked") return { problem: LINKED };
    if (read.kind === "absent") return { problem: "it is not there" };
    return read.kind === "read" ? read : { problem: problemOf(read, bytesMax) };
  } catch (error) {
    if (isGone(error)) return { problem: "it is not there" };
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (["EACCES", "EPERM", "ELOOP"].includes(code)) return { problem: `it cannot be read (${code})` };
    throw error;
  }
}

const LINKED = "a folder on the way to it is a link";

/**
 * Holds the folder open while its file is read: a folder that is swapped for a link meanwhile changes nothing. Where
 * the system has no names for open folders, the way is looked at once more afterwards.
 */
async function readInFolder(tree: string, name: string, bytesMax: number): Promise<PlainRead | "linked"> {
  const expected = path.join(await realpath(tree), path.dirname(name));
  const file = path.join(expected, path.basename(name));
  if (process.platform !== "linux") {
    const read = await readPlainLater(file, { bytesMax });
    return (await realpath(expected)) === expected ? read : "linked";
  }
  const folder = await open(expected, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const held = `/proc/self/fd/${String(folder.fd)}`;
    if ((await readlink(held)) !== expected) return "linked";
    return await readPlainLater(path.join(held, path.basename(name)), { bytesMax });
  } finally {
    await folder.close();
  }
}

/** As it is described to an agent, which can only write the file again. */
function problemOf({ why, problem }: Refusal, bytesMax: number): string {
  switch (why) {
    case "folder":
      return "it is a folder, not a file";
    case "link":
      return "it is a link, not a file";
    case "too_large":
      return `it is larger than ${String(bytesMax)} bytes`;
    case "special":
    case "too_slow":
    case "unreadable":
      return `it ${problem}`;
  }
}

function problemsOf({ schema, sha256 }: Output, read: Read): string[] {
  if ("problem" in read) return [read.problem];
  const { bytes } = read;
  if (bytes.length === 0) return ["it is empty"];
  const digest = digestOf(bytes);
  if (sha256 !== undefined && digest !== sha256)
    return [`its content is not the declared one: its SHA-256 is ${digest}, expected ${sha256}`];
  return schema === undefined ? [] : schemaProblems(schema, bytes);
}

function schemaProblems(schema: Record<string, unknown>, bytes: Buffer): string[] {
  let document: unknown;
  try {
    document = jsonOf(bytes);
  } catch (error) {
    return [`it is no JSON: ${(error as Error).message}`];
  }
  return problemsBySchema(schema, document).map((problem) => `it does not fit its schema: ${problem}`);
}

const jsonOf = (bytes: Buffer): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));

/** What is recorded of values that others look at. */
function valuesIn(bytes: Buffer, pointers: readonly string[]): Record<string, unknown> {
  const document = jsonOf(bytes);
  const found = pointers.map((at) => [at, valueAtPointer(document, at)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function valueProblems(read: Read, pointers: readonly string[] | undefined): string[] {
  if (pointers === undefined || "problem" in read || read.bytes.length === 0) return [];
  try {
    const chars = JSON.stringify(valuesIn(read.bytes, pointers)).length;
    return chars <= VALUE_CHARS_MAX
      ? []
      : [
          `what later steps look at in it is too long: ${String(chars)} characters, at most ${String(VALUE_CHARS_MAX)}`,
        ];
  } catch (error) {
    return [`later steps look at a value in it, and it is no JSON: ${(error as Error).message}`];
  }
}

async function hand(
  kept: TrustedStore,
  home: string,
  { key, artifacts }: HandOrder,
  world: World,
): Promise<string> {
  const folder = path.join(home, hashOf(key));
  for (const artifact of artifacts) {
    const bytes = await kept.read(artifact.digest);
    if (bytes === null) throw lost(artifact);
    const name = path.join(artifact.step.replaceAll("/", "~"), artifact.path);
    if (!isBelow(name) || !isBelow(artifact.path)) throw astray(artifact);
    const file = path.join(folder, name);
    await writeWhole(file, bytes, { mode: 0o444, written: () => world.crashPoint("artifacts.handed") });
  }
  return folder;
}

const astray = ({ step, path: name }: Handed): Fault =>
  new Fault("usage", `the output ${name} of step "${step}" leads out of the folder that it is handed on in`);

const lost = ({ step, path: name, digest }: Handed): Fault =>
  new Fault(
    "not_found",
    `the output ${name} of step "${step}" (SHA-256 ${digest}) is no longer kept as it was accepted; have it made again with retry --step ${step}`,
  );
