// `npm run fold-version`: writes the version of the fold, by which snapshots are told apart. It is a digest over the
// code that is reached from `src/fold/evolve.ts` by import: types, comments and layout taken away, since none of them
// changes what an event makes of a state. With --check it writes nothing and fails where the version is out of date.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";

const repository = path.join(import.meta.dirname, "..", "..");
const entry = "src/fold/evolve.ts";
const versionFile = "src/fold/fold-version.ts";
const digestChars = 20;

/** The files that the fold consists of, each with its code. `root` is the checkout. */
export function foldCode(root: string): Map<string, string> {
  const code = new Map<string, string>();
  const follow = (file: string): void => {
    if (code.has(file)) return;
    const text = bareCode(readFileSync(path.join(root, file), "utf8"));
    code.set(file, text);
    for (const [, target] of text.matchAll(/\b(?:import|from)\s*"(\.[^"]+)"/g))
      follow(path.posix.join(path.posix.dirname(file), target ?? ""));
  };
  follow(entry);
  return new Map([...code].sort(([one], [other]) => (one < other ? -1 : 1)));
}

const bareByText = new Map<string, string>();

/** What is left of a file when types, comments and layout are gone. */
function bareCode(text: string): string {
  const known = bareByText.get(text);
  if (known !== undefined) return known;
  const { code } = transformSync(text, {
    loader: "ts",
    minifyWhitespace: true,
    legalComments: "none",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  bareByText.set(text, code);
  return code;
}

export function foldVersion(root: string): string {
  const hash = createHash("sha256");
  for (const [file, code] of foldCode(root)) hash.update(`${file}\n${String(code.length)}\n${code}\n`);
  return hash.digest("hex").slice(0, digestChars);
}

const bodyOf = (version: string): string => `/**
 * The version of the fold: a digest over its code, written by \`npm run fold-version\` and checked by \`npm run check\`.
 * A snapshot that was made by another fold is not read.
 */
export const FOLD_VERSION = "${version}";
`;

function main(checksOnly: boolean): void {
  const file = path.join(repository, versionFile);
  const body = bodyOf(foldVersion(repository));
  if (!checksOnly) return writeFileSync(file, body);
  if (readFileSync(file, "utf8") === body) return;
  console.error(`the fold has changed, and ${versionFile} says otherwise; run \`npm run fold-version\``);
  process.exitCode = 1;
}

if (import.meta.main) main(process.argv.includes("--check"));
