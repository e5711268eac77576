import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sourceFiles, sourceText } from "../source-files.ts";
import { NOT_STRUCK, STRUCK_BY } from "./struck-points.ts";

/** Points whose names are composed, and so stand in no single place: what is appended, and what is performed. */
const COMPOSED: readonly string[] = ["before", "after", "name", "`"];

/** The names of all crash points in a text; composed ones by their variable. */
const pointsIn = (text: string): string[] =>
  [...text.matchAll(/\bcrashPoint\(\s*(?:"([^"]+)"|(`|\w+))/g)].map(
    ([, name, composed]) => name ?? composed ?? "",
  );

const found = new Set(sourceFiles().flatMap((file) => pointsIn(sourceText(file))));
const struck = Object.values(STRUCK_BY).flat();
const textOf = (file: string): string => readFileSync(join(import.meta.dirname, "..", file), "utf8");

test("J4 P2 every crash point of the source is struck by a test that is named, and none is named that is gone", () => {
  const known = [...struck, ...Object.keys(NOT_STRUCK), ...COMPOSED].sort();
  assert.deepEqual([...found].sort(), known, "add the new point to test/kill/struck-points.ts and strike it");
});

test("J4 P2 a test that is named for a crash point speaks of it, or strikes all that its program passes", () => {
  for (const [file, points] of Object.entries(STRUCK_BY)) {
    assert.ok(existsSync(join(import.meta.dirname, "..", file)), file);
    const text = textOf(file);
    const strikesAll = text.includes("strikeBoundaries(") || text.includes("boundaries()");
    const silent = strikesAll ? [] : points.filter((point) => !text.includes(point));
    assert.deepEqual(silent, [], file);
  }
});

test("J4 P2 a crash point is found however its call is written", () => {
  const text = 'world.crashPoint("a.b.before"); this.#ports.world.crashPoint(\n"c.d"); crashPoint(`e.${f}`)';
  assert.deepEqual(pointsIn(text), ["a.b.before", "c.d", "`"]);
});
