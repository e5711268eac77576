// What happened to the statements of `src` since a commit, with the same features. The changes of all commits in between
// add up to the whole difference; each stands in one of four accounts:
//   same          changes by commits that bring no feature, in files that no feature began
//   feature files changes by the same commits in files that a feature began, and in new ones where only features have
//                 files: repairs of the feature, and its own shortening
//   in old, new   changes by commits that bring a feature, in files that stood before and in files that a feature began
// A commit brings a feature if it adds a name that users see (a command, an option, a route, an event) or a decision
// record. Where another commit grows the files of one account and shrinks those of the other, it moved code: the smaller
// of both changes counts in neither. Files are followed through their renames.
import path from "node:path";
import { git, isSource, shapeOf } from "./shape.ts";

export interface FileChange {
  /** Null where the commit made the file; `to` where it removed it. */
  readonly from: string | null;
  readonly to: string | null;
  readonly statements: number;
}

export interface Change {
  /** What makes the commit one that brings a feature. */
  readonly feature: string | null;
  readonly files: readonly FileChange[];
}

export interface Account {
  same: number;
  featureFiles: number;
  featureInOld: number;
  featureInNew: number;
}

const NAMES: readonly (readonly [string, RegExp])[] = [
  ["command", /\.command\("([a-z][^" ]*)/g],
  ["option", /[oO]ption\(\s*"(?:-\w, )?(--[a-z][a-z-]*)/g],
  ["route", /\["((?:GET|POST|PUT|PATCH|DELETE)", "\/[^"]*)"\]/g],
  ["event", /^\s*([A-Z][A-Za-z]+): event\(/g],
];

const namesOf = (row: string): string[] =>
  NAMES.flatMap(([kind, pattern]) =>
    [...row.matchAll(pattern)].map(([, name = ""]) => `${kind} ${name.replace('", "', " ")}`),
  );

/** The first name of a diff that users see and that it adds; null where it adds none. */
export function nameAdded(diff: string): string | null {
  const rows = diff.split("\n");
  const removed = new Set(rows.filter((row) => row.startsWith("-")).flatMap((row) => namesOf(row.slice(1))));
  const added = rows.filter((row) => row.startsWith("+")).flatMap((row) => namesOf(row.slice(1)));
  return added.find((name) => !removed.has(name)) ?? null;
}

/** The files that stand, and which of them features began. */
class Lineages {
  readonly #isOfFeature: Map<string, boolean>;

  constructor(files: readonly string[]) {
    this.#isOfFeature = new Map(files.map((file) => [file, false]));
  }

  /** Whether the file of a change is a feature's: begun by one, or new where only features have files. */
  follow({ from, to }: FileChange, feature: string | null): boolean {
    const isOfFeature =
      from === null
        ? feature !== null || (to !== null && this.#isAmongFeatures(path.dirname(to)))
        : (this.#isOfFeature.get(from) ?? false);
    if (from !== null) this.#isOfFeature.delete(from);
    if (to !== null) this.#isOfFeature.set(to, isOfFeature);
    return isOfFeature;
  }

  /** Looks at the nearest folder that holds files. */
  #isAmongFeatures(folder: string): boolean {
    const here = [...this.#isOfFeature].filter(([file]) => file.startsWith(`${folder}/`));
    if (here.length === 0) return folder !== "." && this.#isAmongFeatures(path.dirname(folder));
    return here.every(([, isOfFeature]) => isOfFeature);
  }
}

/** Adds up changes, oldest first, to the files that stood before them. */
export function accountFor(files: readonly string[], changes: readonly Change[]): Account {
  const account: Account = { same: 0, featureFiles: 0, featureInOld: 0, featureInNew: 0 };
  const lineages = new Lineages(files);
  for (const change of changes) {
    const sums = { old: 0, ofFeature: 0 };
    for (const file of change.files)
      sums[lineages.follow(file, change.feature) ? "ofFeature" : "old"] += file.statements;
    if (change.feature === null) {
      const { old, ofFeature } = sums;
      const moved = old * ofFeature < 0 ? Math.min(Math.abs(old), Math.abs(ofFeature)) : 0;
      account.same += old - Math.sign(old) * moved;
      account.featureFiles += ofFeature - Math.sign(ofFeature) * moved;
    } else {
      account.featureInOld += sums.old;
      account.featureInNew += sums.ofFeature;
    }
  }
  return account;
}

interface Row {
  readonly kind: string;
  readonly blobs: readonly [string, string];
  readonly paths: readonly [string | null, string | null];
}

/** A line of `git log --raw`: modes, blobs before and after, kind, path, and the new path of a rename. */
function rowOf(line: string): Row {
  const [facts = "", first = "", second = first] = line.split("\t");
  const [, , before = "", after = "", kind = ""] = facts.split(" ");
  return { kind, blobs: [before, after], paths: [kind === "A" ? null : first, kind === "D" ? null : second] };
}

/** The statements of each blob, all of them read by one git. */
function countBlobs(blobs: ReadonlySet<string>): Map<string, number> {
  const present = [...blobs].filter((blob) => !/^0+$/.test(blob));
  const counts = new Map<string, number>();
  const printed = Buffer.from(git(["cat-file", "--batch"], present.join("\n") + "\n"));
  let at = 0;
  for (const blob of present) {
    const start = printed.indexOf("\n", at) + 1;
    const bytes = Number(printed.subarray(at, start).toString().trim().split(" ")[2]);
    counts.set(blob, shapeOf(printed.subarray(start, start + bytes).toString()).statements);
    at = start + bytes + 1;
  }
  return counts;
}

const MARK = "\u0001";

/** The output of a `git log` over the commits since one, oldest first, cut into commits. */
const logSince = (commit: string, options: readonly string[], paths: readonly string[]): [string, string][] =>
  git(["log", "--reverse", `--format=${MARK}%H %s`, ...options, `${commit}..HEAD`, "--", ...paths])
    .split(MARK)
    .slice(1)
    .map((text) => {
      const end = text.indexOf("\n");
      return [text.slice(0, end), text.slice(end + 1)];
    });

function changesSince(commit: string): (Change & { readonly title: string })[] {
  const rows = logSince(commit, ["--raw", "-M40%", "-l0", "--no-abbrev"], ["src"]).map(
    ([title, text]) =>
      [
        title,
        text
          .split("\n")
          .filter((line) => line.startsWith(":"))
          .map(rowOf)
          .filter(({ paths: [from, to] }) => isSource(from ?? to ?? "")),
      ] as const,
  );
  const counts = countBlobs(new Set(rows.flatMap(([, files]) => files.flatMap(({ blobs }) => blobs))));
  const names = new Map(
    logSince(commit, ["-p", "-U0", "-M40%", "-l0"], ["src"]).map(([title, diff]) => [title, nameAdded(diff)]),
  );
  const records = new Map(
    logSince(commit, ["--diff-filter=A", "--name-only"], ["docs/decisions"]).map(([title, text]) => [
      title,
      text.trim().split("\n")[0] ?? null,
    ]),
  );
  return rows.map(([title, files]) => ({
    title,
    feature: names.get(title) ?? records.get(title) ?? null,
    files: files.map(({ blobs: [before, after], paths: [from, to] }) => ({
      from,
      to,
      statements: (counts.get(after) ?? 0) - (counts.get(before) ?? 0),
    })),
  }));
}

const signed = (value: number): string => (value > 0 ? `+${String(value)}` : String(value));

/** Of a commit, with its files and how many statements they had. */
export function printSameFeatures(commit: string, files: readonly string[], before: number): void {
  const changes = changesSince(commit);
  console.log(`commits since ${commit} that bring a feature, by what they add:`);
  for (const { title, feature } of changes)
    if (feature !== null) console.log(`  ${title.replace(/^(.{8})\S*/, "$1")} (${feature})`);
  const { same, featureFiles, featureInOld, featureInNew } = accountFor(files, changes);
  console.log(
    `they changed: ${signed(featureInOld)} in files that stood before, ${signed(featureInNew)} in their own`,
  );
  console.log(`other commits changed in the files of these features: ${signed(featureFiles)}`);
  const percent = ((same * 100) / before).toFixed(1);
  console.log(
    `with the same features: ${String(before)} → ${String(before + same)} (${signed(same)}, ${percent} %)`,
  );
}
