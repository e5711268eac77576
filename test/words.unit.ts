import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { sourceFiles, sourceText } from "./source-files.ts";

interface Word {
  readonly instead: string;
  readonly atMost: number;
}

/**
 * Words that had a meaning of this project's own, what to say instead, and how often each may stand in `src`: in names
 * of events, of their fields and of settings, which stay, and in its plain English meaning. Lower a number when fewer
 * are left; none is ever raised.
 */
const WORDS: Readonly<Record<string, Word>> = {
  judge: { instead: "rule, or decide", atMost: 5 },
  judged: { instead: "decided, assessed", atMost: 43 },
  judgement: { instead: "decision", atMost: 0 },
  judges: { instead: "decides, assesses", atMost: 0 },
  tell: { instead: "describe, send, notify, publish or print", atMost: 61 },
  told: { instead: "described, sent, notified or printed", atMost: 26 },
  tells: { instead: "describes, sends, notifies or prints", atMost: 5 },
  telling: { instead: "describing, sending, notifying or printing", atMost: 4 },
  hear: { instead: "receive, observe", atMost: 3 },
  heard: { instead: "received, observed", atMost: 70 },
  hears: { instead: "receives, observes", atMost: 0 },
  ears: { instead: "listeners", atMost: 0 },
  ground: { instead: "shared resource", atMost: 113 },
  grounds: { instead: "shared resources", atMost: 0 },
  body: { instead: "program, or workflow function", atMost: 268 },
  bodies: { instead: "programs, or workflow functions", atMost: 0 },
  pot: { instead: "budget scope", atMost: 0 },
  pots: { instead: "budget scopes", atMost: 0 },
  desk: { instead: "handle", atMost: 0 },
  desks: { instead: "handles", atMost: 0 },
  veil: { instead: "shadow git directory", atMost: 3 },
  plant: { instead: "injected bug", atMost: 0 },
  rooms: { instead: "ports", atMost: 0 },
  usual: { instead: "default", atMost: 13 },
  anew: { instead: "again", atMost: 3 },
  whoever: { instead: "the one that, or the role", atMost: 5 },
  whatever: { instead: "anything that, or no matter what", atMost: 5 },
  befell: { instead: "happened to", atMost: 0 },
};

/** Of HTTP and of mail: a body is one there. */
const HAS_BODIES = /^src\/(api|chaos|notify|journal|agents|cli\/remote)\//;

const wordsIn = (text: string): string[] =>
  [...text.matchAll(/[A-Za-z][a-z]*/g)].map(([word]) => word.toLowerCase());

function placesOfWords(): Map<string, Map<string, number>> {
  const places = new Map<string, Map<string, number>>();
  for (const file of sourceFiles())
    for (const word of wordsIn(sourceText(file))) {
      if (!Object.hasOwn(WORDS, word) || (word === "body" && HAS_BODIES.test(file))) continue;
      const files = places.get(word) ?? new Map<string, number>();
      places.set(word, files.set(file, (files.get(file) ?? 0) + 1));
    }
  return places;
}

test("words that only this project has do not come back into its code", () => {
  const places = placesOfWords();
  const exceeded = Object.entries(WORDS).flatMap(([word, { instead, atMost }]) => {
    const files = [...(places.get(word) ?? [])].sort(([, a], [, b]) => b - a);
    const count = files.reduce((sum, [, times]) => sum + times, 0);
    const named = files.map(([file, times]) => `${file} (${String(times)})`).join(", ");
    return count > atMost
      ? [
          `"${word}" stands ${String(count)} times in src, at most ${String(atMost)}: say ${instead}; ${named}`,
        ]
      : [];
  });
  assert.deepEqual(exceeded, []);
});

/** Unit tests that are named after no file of the mirrored folder; none is added. */
const APART_MAX = 121;

const repository = path.dirname(import.meta.dirname);
const SOURCES = ["src", "web/src"];

/** Tests of the dashboard stand in `test/web`, and mirror `web/src`. */
const sourceOf = (file: string): string[] => {
  const source = file.replace(/\.unit\.ts$/, ".ts");
  return SOURCES.map((folder) => path.join(repository, folder, source.replace(/^web\//, "")));
};

test("a unit test stands where its file stands in src, and has its name", () => {
  const apart = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".unit.ts"))
    .filter((file) => !sourceOf(file).some((source) => existsSync(source)));
  assert.ok(
    apart.length <= APART_MAX,
    `${String(apart.length)} unit tests are named after no file of src in their folder, at most ${String(APART_MAX)}: ${apart.sort().join(", ")}`,
  );
});
