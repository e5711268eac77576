import { decided, type Cell } from "./fault-cell.ts";

const cellText = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/[<>*_`]/g, "\\$&");

/** The document about real agents under faults, from what was played. */
export function faultTable(
  cells: readonly Cell[],
  limits: { readonly attemptMs: number; readonly silenceMs: number },
  missing: readonly string[],
): string {
  const violations = cells.flatMap((cell) => decided(cell).violations);
  const faults = [...new Set(cells.map(({ fault }) => fault))];
  return `# Real agents under faults of their provider

Written by \`npm run test:agents\`, which plays every fault of the fake model provider with every real agent through the command line: two attempts of at most ${String((limits.attemptMs + limits.silenceMs) / 1_000)} s, silence that is noticed after ${String(limits.silenceMs / 1_000)} s (60 s with opencode, qwen, goose and pi, 150 s with kilo, some of which take most of that to begin) instead of fifteen minutes, one restart as a remedy, and a check that looks for the work. The fault strikes in the middle of the task, in the turn that does the work, so the work is there only where the fault was overcome. “Claims” is the agent's own last word; what counts is the check.

“Diagnosis” is what the journal says that Holdfast made of it: that the agent waits for a limit, of what it is stuck (and after how long, and after how many calls it was found so), or of which class its failure was. “Expected” is what it had to be, with the reason where an agent hides a fault.

Promised of every line, and looked at in each: no success without the work; the journal holds exactly what the agent said, once; the diagnosis is the expected one; the run is completed or stands in the right named state.

${String(cells.length)} played, ${String(violations.length)} promises broken. ${missing.length === 0 ? "" : `Not played yet: ${missing.join("; ")}. `}${repeated(cells)}${ends(cells)}

${faults.map((fault) => section(fault, cells)).join("\n")}`;
}

function repeated(cells: readonly Cell[]): string {
  const again = cells.filter((cell) => cell.again === true);
  if (again.length === 0) return "";
  const names = again.map(({ agent, fault }) => `${agent} under “${fault}”`).join("; ");
  return `Played a second time, because the first broke a promise: ${names}. `;
}

function ends(cells: readonly Cell[]): string {
  const counted = new Map<string, number>();
  for (const { end } of cells) counted.set(end, (counted.get(end) ?? 0) + 1);
  const parts = [...counted].toSorted((a, b) => b[1] - a[1]).map(([end, count]) => `${String(count)} ${end}`);
  const lies = cells.filter(({ did }) => did.includes("claims success") && !did.includes("work done"));
  return `How the runs stood at the end: ${parts.join("; ")}. Agents that claimed success without the work: ${String(lies.length)}.`;
}

function section(fault: string, cells: readonly Cell[]): string {
  const rows = cells
    .filter((cell) => cell.fault === fault)
    .map((cell) => {
      const { agent, did, told: reported, outcome, diagnosis, end, seconds } = cell;
      const { expected, violations } = decided(cell);
      const ended = violations.length === 0 ? end : `${end} — **${violations.join("; ")}**`;
      const columns = [agent, did, reported, outcome, diagnosis, expected].map(cellText);
      return `| ${columns.join(" | ")} | ${ended} | ${String(seconds)} |`;
    });
  return `## ${fault}

| agent | what it did | what was told of it | attempt | diagnosis | expected | the run | s |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}
