// Writes docs/states.md from the table of states and requests.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RETRY_CLASSES } from "../../src/decide/attempt/retry-class.ts";
import {
  STATE_MEANINGS,
  STATE_TABLE,
  STOP_MEANINGS,
  WAKING_STOPS,
} from "../../src/decide/recovery/state-table.ts";
import { FAILURE_CLASSES } from "../../src/model/agent/failure.ts";
import type { RequestKind } from "../../src/model/requests/requests.ts";
import { RUN_STATUSES, STOP_KINDS } from "../../src/model/state/run-status.ts";

const KINDS = Object.keys(STATE_TABLE) as RequestKind[];

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

const states = (): string =>
  table(
    ["state", "means", "ways out"],
    RUN_STATUSES.map((status) => [
      `\`${status}\``,
      STATE_MEANINGS[status],
      KINDS.filter((kind) => STATE_TABLE[kind][status]?.to.some((to) => to !== status) === true)
        .map((kind) => `\`${kind}\``)
        .join(", "),
    ]),
  );

const requests = (): string =>
  table(
    ["request", "where it is taken", "what it does", "leads to"],
    KINDS.flatMap((kind) =>
      RUN_STATUSES.flatMap((status) => {
        const taken = STATE_TABLE[kind][status];
        return taken === undefined
          ? []
          : [[`\`${kind}\``, `\`${status}\``, taken.does, taken.to.map((to) => `\`${to}\``).join(", then ")]];
      }),
    ),
  );

const stops = (): string =>
  table(
    ["stop", "means", "wakes by itself"],
    STOP_KINDS.map((stop) => [
      `\`${stop}\``,
      STOP_MEANINGS[stop],
      WAKING_STOPS.includes(stop) ? "yes" : "no",
    ]),
  );

const failures = (): string =>
  table(
    ["class", "means", "tried again", "stops when it repeats"],
    FAILURE_CLASSES.map((kind) => {
      const { retried, stopsWhenRepeated, meaning } = RETRY_CLASSES[kind];
      return [`\`${kind}\``, meaning, retried ? "yes" : "no", stopsWhenRepeated ? "yes" : "no"];
    }),
  );

export const statesDocument = (): string =>
  `# States of a run

Generated from \`src/decide/recovery/state-table.ts\` and \`src/decide/attempt/retry-class.ts\` by \`npm run docs\`.

${states()}

No state is a dead end: each has a way out, and an ended run can be retried or reopened.

## What may be asked where

A pair that is not listed is refused; the refusal names the states where the request is taken, and the command ends with exit code 5.

${requests()}

## Why a run stops

${stops()}

A run caught pausing settles as paused, no matter which supervisor owns it then.

## Failures of an attempt

${failures()}

What is known in a structured way decides (the driver's word, an HTTP status, an error code, a signal); words in a text are asked last. Waits between tries grow and are drawn at random below their bound.
`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", "states.md"), statesDocument());
