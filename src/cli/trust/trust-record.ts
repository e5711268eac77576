/**
 * What a person has trusted of a repository, by the content of each thing that is obeyed. It lies in the user's state
 * folder, one file per repository root, and never in the repository: nobody can ship it with the code.
 *
 * On disk: a draft, whole and synced, which then takes the name at one stroke. A crash leaves the trust before, and at
 * most a draft that nobody reads. Crash points: `trust.record.before`, `.drafted`, `.after`.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { Obeyed } from "../../model/flow/obeyed.ts";
import { trustRecordSchema, type TrustRecord } from "../../model/flow/trust-record.ts";
import type { World } from "../../model/world.ts";
import { makeFolder } from "../shell/make-folder.ts";

/** Something to be obeyed that is not trusted; with what was trusted in its place, where that is known. */
export interface Untrusted {
  readonly obeyed: Obeyed;
  readonly before: { readonly text: string | null } | null;
}

const RECORD_BYTES_MAX = 64 * 1_024 * 1_024;
/** Larger texts are compared by their digest, and not shown line by line. */
const TEXT_CHARS_MAX = 64 * 1_024;

const fileOf = (folder: string, root: string): string =>
  path.join(folder, "trust", `${digestOf(root).slice(0, 32)}.json`);

const digestOfOne = ({ what, text }: Obeyed): string => digestOf(`${what}\n${text}`);

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A record that cannot be read trusts nothing. */
export function readTrust(folder: string, root: string): TrustRecord {
  const none: TrustRecord = { version: 1, root, entries: {} };
  try {
    const text = plainTextIfAny(fileOf(folder, root), { bytesMax: RECORD_BYTES_MAX });
    const record = text === undefined ? none : trustRecordSchema.parse(JSON.parse(text));
    return record.root === root ? record : none;
  } catch {
    return none;
  }
}

/** What of the list is not trusted as it is. What is not there any more does no harm, and is not asked about. */
export const untrustedOf = ({ entries }: TrustRecord, obeyed: readonly Obeyed[]): Untrusted[] =>
  obeyed.flatMap((one) => {
    const known = Object.hasOwn(entries, one.key) ? entries[one.key] : undefined;
    if (known !== undefined && [known.digest, ...(known.also ?? [])].includes(digestOfOne(one))) return [];
    return [{ obeyed: one, before: known === undefined ? null : { text: known.text ?? null } }];
  });

/** Trusts these contents; of what had another content under the same key only these count from now on. */
export function grantTrust(
  folder: string,
  root: string,
  obeyed: readonly Obeyed[],
  { crashPoint }: Pick<World, "crashPoint"> = { crashPoint: () => undefined },
): void {
  const added: TrustRecord["entries"] = {};
  for (const one of obeyed) {
    const { key, what, text } = one;
    const before = Object.hasOwn(added, key) ? added[key] : undefined;
    const also = before === undefined ? [] : [before.digest, ...(before.also ?? [])];
    added[key] = {
      what,
      digest: digestOfOne(one),
      ...(text.length <= TEXT_CHARS_MAX && !text.includes("\0") ? { text } : {}),
      ...(also.length > 0 ? { also } : {}),
    };
  }
  const { entries } = readTrust(folder, root);
  const record: TrustRecord = { version: 1, root, entries: { ...entries, ...added } };
  makeFolder(path.dirname(fileOf(folder, root)));
  crashPoint("trust.record.before");
  replaceFile(fileOf(folder, root), JSON.stringify(record), () => crashPoint("trust.record.drafted"));
  crashPoint("trust.record.after");
}
