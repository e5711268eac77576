import { hostname, userInfo } from "node:os";
import type { ApiBench } from "./api-bench.ts";

const ITEMS_MAX = 1;
const KEYS_MAX = 30;
const CHARS_MAX = 240;
const DEPTH_MAX = 6;
const FEW_KEYS = 3;
/** Down to here objects are shown whole: what their schemas ask for stands there. */
const WHOLE_DEPTH = 2;
const A_TIME = "2026-03-01T07:30:00.000Z";
const A_MOMENT = 1_772_350_200_000;

const LONG_CHARS = 5_000;

/** The same, made shorter where it is long: an example shows what an answer looks like. */
export function exampleOf(value: unknown, bench: ApiBench): unknown {
  const whole = tidied(value, { bench, keysMax: KEYS_MAX });
  return JSON.stringify(whole).length <= LONG_CHARS ? whole : tidied(value, { bench, keysMax: FEW_KEYS });
}

interface Tidying {
  readonly bench: ApiBench;
  readonly keysMax: number;
}

/** An answer as an example shows it: what this machine, this minute and chance have put into it is replaced. */
function tidied(value: unknown, how: Tidying, depth = 0): unknown {
  const { bench, keysMax } = how;
  if (typeof value === "string") return tidyText(value, bench);
  if (typeof value === "number") return value > 1e12 && value < 4e12 ? A_MOMENT : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return depth >= DEPTH_MAX ? [] : items.slice(0, ITEMS_MAX).map((item) => tidied(item, how, depth + 1));
  }
  const entries = Object.entries(value).slice(
    0,
    depth === 0 ? Infinity : depth <= WHOLE_DEPTH ? KEYS_MAX : keysMax,
  );
  return Object.fromEntries(
    entries.map(([key, part]) => [
      tidyText(key, bench),
      /^(?:pid|ppid)$/.test(key) ? 4_242 : tidied(part, how, depth + 1),
    ]),
  );
}

function tidyText(text: string, bench: ApiBench): string {
  const isLines = text.includes("\n");
  const plain = text
    .replaceAll(bench.cli.cwd, "/home/anna/project")
    .replaceAll(bench.cli.home, "/home/anna/.local/state/holdfast")
    .replaceAll(bench.ready.url, "http://127.0.0.1:4377")
    .replaceAll(hostname(), "build-host")
    .replaceAll(new RegExp(`\\b${userInfo().username}\\b`, "g"), "anna")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, A_TIME)
    .replaceAll(/"at":\d{13}/g, `"at":${String(A_MOMENT)}`)
    .replaceAll(/\/login\/[\w-]+/g, "/login/Zm9yIG9uZSBtaW51dGU")
    .replaceAll(/\bhf_[\w-]{20,}/g, "hf_c2hvd24gdGhpcyBvbmNl")
    .replaceAll(/ticket\.[\w-]+/g, "ticket.Zm9yIDMwIHNlY29uZHM")
    .replaceAll(/\b[0-9a-f]{40,64}\b/g, (hash) =>
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".slice(0, hash.length),
    )
    .replaceAll(/\/tmp\/[\w./-]+|\/root[\w./-]*|\/work\/[\w./-]+/g, "/home/anna/file");
  const end = isLines ? plain.lastIndexOf("\n", CHARS_MAX * 4) : CHARS_MAX;
  return plain.slice(0, Math.max(end, CHARS_MAX));
}
