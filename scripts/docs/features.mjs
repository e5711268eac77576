// docs/features.md: which sentences, each the title of a passing test, prove which row of the mission.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { repository } from "../pinned-node.mjs";

const documentFile = path.join(repository, "docs", "features.md");
const resultsFile = path.join(repository, ".test-results", "results.jsonl");
const filteredFile = path.join(repository, ".test-results", "filtered.jsonl");
const areas = JSON.parse(readFileSync(new URL("feature-captions.json", import.meta.url), "utf8"));
/** Of sentences that differ so many are named, and the others counted. */
const proofsNamed = 5;
const knownIds = new Set(areas.flatMap((area) => Object.keys(area.rows)));

/** The ids of the mission that a title begins with: `J1 J2 an append …` has two. */
export function idsOf(title) {
  const leading = /^(?:[A-Z]\d+\s+)+/.exec(title)?.[0] ?? "";
  return leading.split(/\s+/).filter((id) => id !== "");
}

function sentenceOf(title) {
  return title.replace(/^(?:[A-Z]\d+\s+)+/, "");
}

/** Rows that titles name and the mission does not have, as lines for a person; none when all is well. */
export function unknownRows(results) {
  const unknown = results.flatMap((result) => idsOf(result.title)).filter((id) => !knownIds.has(id));
  return [...new Set(unknown)].map(
    (id) => `${id} begins a title, but scripts/docs/feature-captions.json has no such row`,
  );
}

/**
 * How docs/features.md differs from a full run, as lines for a person. A row that the document calls proved and that
 * has lost its last test is a false claim, and a problem. A test that was skipped, or whose title only stands in the
 * sources because its turn is on another day, is a test. Sentences change with every title: they are only a reason to
 * write the document again.
 */
export function compareWithDocument(results, text = documentText(), declaredRows = rowsInSources) {
  const documented = proofsInDocument(text);
  const seen = proofsIn(results);
  const passed = proofsIn(results.filter((result) => result.status === "passed"));
  const missing = [...passed].filter((proof) => !documented.has(proof));
  const gone = [...documented].filter((proof) => !seen.has(proof));
  const seenRows = rowsOf(seen);
  const unseenRows = [...rowsOf(documented)].filter((row) => !seenRows.has(row));
  const declared = unseenRows.length === 0 ? new Set() : declaredRows();
  return {
    problems: unseenRows
      .filter((row) => !declared.has(row))
      .map((row) => `docs/features.md calls ${row} proved, and no test carries it`),
    warnings: [
      ...outOfDate("has what no test of this run shows", gone),
      ...outOfDate("lacks what tests show", missing),
    ],
  };
}

function outOfDate(what, proofs) {
  if (proofs.length === 0) return [];
  const named = proofs.slice(0, proofsNamed).map((proof) => `“${proof}”`);
  const more = proofs.length - named.length;
  return [
    `docs/features.md ${what}: run \`npm run docs\` (${named.join("; ")}${more > 0 ? `; and ${more} more` : ""})`,
  ];
}

function rowsOf(proofs) {
  return new Set([...proofs].map((proof) => proof.slice(0, proof.indexOf(" "))));
}

/** The ids that begin a text in the sources of the tests, whether or not it is a title of this run. */
function rowsInSources() {
  const folder = path.join(repository, "test");
  const sources = readdirSync(folder, { recursive: true }).filter(
    (name) => name.endsWith(".ts") && !name.includes("fixtures/"),
  );
  return new Set(sources.flatMap((name) => rowsInText(readFileSync(path.join(folder, name), "utf8"))));
}

export function rowsInText(source) {
  return [...source.matchAll(/["'`]((?:[A-Z]\d+ )+)/g)].flatMap(([, ids]) => idsOf(ids));
}

function documentText() {
  return existsSync(documentFile) ? readFileSync(documentFile, "utf8") : "";
}

/**
 * Writes docs/features.md from the last full run, and from runs of single files: what those passed is added, and
 * replaces what the full run says of the same files. A proof skipped on this machine stays if it was there before.
 */
export function writeFeatures() {
  const full = readResults(resultsFile);
  const part = readResults(filteredFile);
  if (full.length + part.length === 0) {
    process.stdout.write("docs/features.md left as it is: no test was run here yet; run `npm test` first\n");
    return;
  }
  const partFiles = new Set(part.map((result) => result.file));
  const results = [...full.filter((result) => !partFiles.has(result.file)), ...part];
  const before = proofsInDocument(documentText());
  const skipped = proofsIn(results.filter((result) => result.status === "skipped"));
  const proofs = new Set([
    ...proofsIn(results.filter((result) => result.status === "passed")),
    // Without a full run nothing is known of the other files: what the document says of them stays.
    ...(full.length === 0 ? before : [...skipped].filter((proof) => before.has(proof))),
  ]);
  writeFileSync(documentFile, render(proofs));
  process.stdout.write(`docs/features.md: ${proofs.size} proofs\n`);
}

function readResults(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** `J4 sentence`, one for each id that a title carries. */
function proofsIn(results) {
  return new Set(
    results.flatMap(({ title }) => idsOf(title).map((id) => `${id} ${oneLine(sentenceOf(title))}`)),
  );
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

function render(proofs) {
  const lines = [
    "# What is proved",
    "",
    "Written by `npm run docs` from the titles of the tests that passed; do not edit. Each sentence is a test.",
    "",
  ];
  for (const area of areas) {
    lines.push(`## ${area.letter} · ${area.title}`, "", "| id | what | proved by |", "|---|---|---|");
    for (const [id, caption] of Object.entries(area.rows)) {
      const sentences = [...proofs]
        .filter((proof) => proof.startsWith(`${id} `))
        .map((proof) => proof.slice(id.length + 1));
      lines.push(
        `| ${id} | ${caption} | ${sentences.sort().map(escapeCell).join("<br>") || "*not yet proved*"} |`,
      );
    }
    lines.push("");
  }
  return lines.join("\n");
}

function proofsInDocument(text) {
  const proofs = new Set();
  for (const line of text.split("\n")) {
    const cells = /^\| ([A-Z]\d+) \| .*? (?<!\\)\| (.*) \|$/.exec(line);
    if (cells === null || cells[2] === "*not yet proved*") continue;
    for (const sentence of cells[2].split("<br>")) proofs.add(`${cells[1]} ${unescapeCell(sentence)}`);
  }
  return proofs;
}

function escapeCell(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("|", "\\|");
}

function unescapeCell(text) {
  return text.replaceAll("\\|", "|").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
