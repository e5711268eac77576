import { writeFileSync } from "node:fs";
import path from "node:path";
import { BRAKE_CELLS, TABLES, type BrakeCell, type TableName } from "./brake-cells.ts";
import { keyOf, readKept, type KeptCell } from "./kept-cells.ts";
import { SANDBOXED } from "./played.ts";

const FILE = path.resolve(import.meta.dirname, "../../../docs/brakes-with-agents.md");
const POSSIBLE = BRAKE_CELLS.filter(({ notPossible }) => notPossible === false);

const PROMISES: Readonly<Record<TableName, string>> = {
  success: `An agent that printed an error, a limit or a refusal, that said nothing, or that did nothing beside a check that was green before, has no success; real work has, and so has an agent that says that there is nothing to do. Shown is how the run stood at the end.`,
  budgets: `The model is asked for ever, for the same call or for a different one each time. The run is braked by its budget, at most 22 requests after it is spent (5 % or one request of grace, the request that ends it, and 20 for the time that the end takes; for time two minutes), or \`holdfast run\` refuses to start, where the driver does not report what the budget counts.`,
  suspension: `The agent would work for ever. People are asked; then no process of the session is left, the model is not asked any more, and the command that \`holdfast status\` prints continues the same conversation.`,
};

const escaped = (text: string): string =>
  text.replaceAll("|", String.raw`\|`).replaceAll(/[<>*_`]/g, String.raw`\$&`);

/** Writes what is recorded. */
export function writeBrakeDocument(): void {
  writeFileSync(FILE, brakeDocument(readKept()));
}

/** The document about the brakes with real agents, from the last play of each cell. */
export function brakeDocument(kept: ReadonlyMap<string, KeptCell>): string {
  const cells = POSSIBLE.flatMap((cell) => kept.get(keyOf(cell)) ?? []);
  return `# Brakes with real agents

Written by \`npm run test:brakes\`, which plays three tables with real agents, a model server that follows a script, and the command line, with the default settings of the sandbox and of the environment. Requests are counted at the model server, processes in \`/proc\`. The cells are the tests of \`npm run test:agents -- real/success real/budgets real/suspension\`.

${counts(cells)}

${TABLES.map((table) => section(table, kept)).join("\n")}
${notPossible()}`;
}

function counts(cells: readonly KeptCell[]): string {
  const passed = cells.filter((cell) => cell.passed);
  const inSandbox = passed.filter(({ sandbox }) => sandbox === SANDBOXED);
  const refused = passed.filter(({ sandbox }) => sandbox === "");
  const commits = Map.groupBy(cells, ({ commit }) => commit);
  const on = [...commits].map(([commit, { length }]) => `${String(length)} on \`${commit}\``).join(", ");
  const numbers = [
    `${String(cells.length)} of ${String(POSSIBLE.length)} cells played${on === "" ? "" : ` (${on})`}`,
    `${String(passed.length)} passed`,
    `${String(inSandbox.length)} of them with the agent in its sandbox`,
    `${String(refused.length)} without any session, because the start was refused`,
    `${String(passed.length - inSandbox.length - refused.length)} without a sandbox`,
  ];
  return `${numbers.join(", ")}. Passed only when they were played again on the same commit (number of failures): ${again(passed)}.`;
}

function again(passed: readonly KeptCell[]): string {
  const cells = passed
    .filter(({ failures }) => failures > 0)
    .map(({ table, agent, name, failures }) => `${agent}, ${name} (${table}): ${String(failures)}`);
  return cells.length === 0 ? "none" : cells.join("; ");
}

function section(table: TableName, kept: ReadonlyMap<string, KeptCell>): string {
  const own = POSSIBLE.filter((cell) => cell.table === table);
  const passed = own.filter((cell) => kept.get(keyOf(cell))?.passed === true).length;
  return `## ${table[0]?.toUpperCase() ?? ""}${table.slice(1)}: ${String(passed)} of ${String(own.length)}

${PROMISES[table]}

| agent | cell | what was seen | sandbox | commit | s |
| --- | --- | --- | --- | --- | --- |
${own.map((cell) => row(cell, kept.get(keyOf(cell)))).join("\n")}
`;
}

function row({ agent, name }: BrakeCell, played: KeptCell | undefined): string {
  if (played === undefined) return `| ${agent} | ${name} | **not played** | | | |`;
  const { did, passed, sandbox, commit, seconds } = played;
  const result = passed ? escaped(did) : `**did not pass**: ${escaped(did)}`;
  return `| ${[agent, name, result, escaped(sandbox), `\`${commit}\``, String(seconds)].join(" | ")} |`;
}

/** Cells that cannot be played are named with their reason. */
function notPossible(): string {
  const cannot = BRAKE_CELLS.filter((cell) => cell.notPossible !== false);
  const line = ({ table, agent, name, notPossible: why }: BrakeCell): string =>
    `- ${agent}, ${name} (${table}): ${String(why)}`;
  return `## Cells that cannot be\n\n${cannot.map(line).join("\n")}\n`;
}
