import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CORPUS, COUNTS_FILE, countAll, type Row, rows } from "../../scripts/house/score-corpus.ts";
import { assessText } from "../../src/views/assess/assess-text.ts";
import { assessTrace, type TraceVerdict } from "../../src/views/assess/assess-trace.ts";

/** Recordings of real agents with the verdicts of people. They lie beside the repository, not in it. */
const FOLDER = CORPUS;
const skip = existsSync(FOLDER)
  ? false
  : `NOT RUN: there are no recordings at ${FOLDER}; name them with HOLDFAST_CORPUS`;

const assess = ({ events, timing, timing_is_real: isReal, evaluated_at_ms: at }: Row): TraceVerdict =>
  assessTrace(events, {
    timed: timing !== "nominal" && isReal !== false,
    zone: "UTC",
    ...(at === undefined ? {} : { evaluatedAtMs: at }),
  });
const isBad = ({ health }: TraceVerdict): boolean => health === "stuck" || health === "crashed";

test(
  "L2 of recorded runs every stuck one is found in time, no healthy one is flagged, and of the solved at most one",
  { skip },
  () => {
    const verdicts = new Map(
      rows("traces-dev.jsonl.gz").map((row) => [row.id, { row, verdict: assess(row) }]),
    );
    const flaggedAt = (id: string): number | null => verdicts.get(id)?.verdict.first_flagged_event ?? null;
    const gold = rows("gold-dev.jsonl");
    const missed = gold.filter(
      ({ id, verdict, last_loop_event: last }) =>
        verdict.startsWith("stuck:") && (flaggedAt(id) ?? Infinity) > (last ?? 0),
    );
    assert.deepEqual(
      missed.map(({ id }) => id),
      [],
    );
    assert.deepEqual(
      gold.filter(({ id, verdict }) => verdict === "healthy" && flaggedAt(id) !== null).map(({ id }) => id),
      [],
    );
    const solved = [...verdicts.values()].filter(
      ({ row, verdict }) => row.outcome?.resolved === true && verdict.first_flagged_event !== null,
    );
    assert.ok(solved.length <= 1, solved.map(({ row }) => row.id).join(", "));
  },
);

test(
  "L2 of the scenarios on which other detectors agree at least 34 of 36 are assessed as expected",
  { skip },
  () => {
    const broad = rows("scenarios-dev.jsonl").filter(({ agreement }) => agreement === "broad");
    const wrong = broad.filter(
      (row) => isBad(assess(row)) !== (row.expected.startsWith("stuck:") || row.expected === "crashed"),
    );
    assert.ok(broad.length - wrong.length >= 34, wrong.map(({ id }) => id).join(", "));
  },
);

test(
  "L4 of the recorded lines at least 37 of 39 limits are seen, with at most one false alarm",
  { skip },
  () => {
    const said = rows("rate-limit-dev.jsonl").map((row) => ({
      row,
      limited: assessText(row.text, 0, "UTC").rate_limited,
    }));
    const missed = said.filter(({ row, limited }) => row.rate_limited === true && !limited);
    const alarmed = said.filter(({ row, limited }) => row.rate_limited !== true && limited);
    assert.ok(missed.length <= 2, missed.map(({ row }) => row.id).join(", "));
    assert.ok(alarmed.length <= 1, alarmed.map(({ row }) => row.id).join(", "));
  },
);

test("L2 L4 the counts in the documentation are those of today's rules", { skip }, () => {
  assert.deepEqual(JSON.parse(JSON.stringify(countAll())), JSON.parse(readFileSync(COUNTS_FILE, "utf8")));
});
