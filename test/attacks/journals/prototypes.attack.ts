import { mkdirSync } from "node:fs";
import path from "node:path";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { attempt, READERS } from "./json-readers.ts";
import { pollution } from "./pollution.ts";

const INNER = ['{"polluted":1}', '{"polluted":{"polluted":1}}', '["polluted"]', '"polluted"', "null"];

/** Forty documents that would change the prototype of all objects, or reach a constructor, if they were merged. */
const PAYLOADS: readonly string[] = INNER.flatMap((inner) => [
  `{"__proto__":${inner}}`,
  `{"constructor":{"prototype":${inner}}}`,
  `{"prototype":${inner}}`,
  `{"a":{"__proto__":${inner}}}`,
  `{"kind":"set","changes":[{"key":"__proto__.polluted","value":${inner}}]}`,
  `{"in":{"__proto__":{"in":{"polluted":{"set":${inner}}}}}}`,
  `{"__proto__":{"__proto__":${inner}},"toString":${inner},"hasOwnProperty":${inner}}`,
  `[{"__proto__":${inner}},{"constructor":${inner}}]`,
]);

async function pollute({ folder, count }: Stage): Promise<Tried> {
  const succeeded: string[] = [];
  const payloads = PAYLOADS.slice(0, count);
  mkdirSync(path.join(folder, "files"));
  for (const [name, read] of Object.entries(READERS))
    for (const payload of payloads) {
      await Promise.resolve(attempt(() => read(payload, path.join(folder, "files")))).catch(() => undefined);
      const found = pollution();
      if (found !== null) return tried(1, [`${found}: ${name} with ${payload}`]);
    }
  return tried(payloads.length * Object.keys(READERS).length, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{
      threat: "T23",
      level: "any",
      promised: "prevented",
      count: { full: PAYLOADS.length, short: PAYLOADS.length },
    },
    title: "documents with __proto__ and constructor are given to everything that reads JSON or YAML",
    run: pollute,
  },
];
