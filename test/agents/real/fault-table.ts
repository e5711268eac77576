import type { Cell } from "./fault-cell.ts";

const cellText = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/[<>*_`]/g, "\\$&");

/** The document about real agents under faults, from what was played. */
export function faultTable(cells: readonly Cell[], attemptLimitMs: number): string {
  const violations = cells.flatMap(({ violations: found }) => found);
  const faults = [...new Set(cells.map(({ fault }) => fault))];
  return `# Real agents under faults of their provider

Written by \`npm run test:agents\`, which plays every fault of the fake model provider with every real agent through the command line: one attempt of at most ${String(attemptLimitMs / 1_000)} s, with a check that looks for the work. The fault strikes in the middle of the task, in the turn that does the work, so the work is there only where the agent got over the fault. “Claims” is the agent's own last word; what counts is the check.

Promised of every line, and looked at in each: no success without the work; the journal holds exactly what the agent said, once; the run stops in a named state within its limit.

${String(cells.length)} played, ${String(violations.length)} promises broken. ${ends(cells)}

${faults.map((fault) => section(fault, cells)).join("\n")}`;
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
    .map(({ agent, did, told, outcome, end, seconds, violations }) => {
      const ended = violations.length === 0 ? end : `${end} — **${violations.join("; ")}**`;
      const columns = [agent, did, told, outcome].map(cellText);
      return `| ${columns.join(" | ")} | ${ended} | ${String(seconds)} |`;
    });
  return `## ${fault}

| agent | what it did | what was told of it | attempt | the run | s |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}
