import { BRAKE_CELLS, TABLES, type BrakeCell, type TableName } from "./brake-cells.ts";
import { SANDBOXED, type Played } from "./played.ts";

/** A cell that was played, as it is kept. */
export interface KeptCell extends Played {
  readonly table: TableName;
  readonly agent: string;
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** How often it did not pass, before this time too. */
  readonly failures: number;
  readonly commit: string;
}

const PROMISES: Readonly<Record<TableName, string>> = {
  success: `An agent that printed an error, a limit or a refusal, that said nothing, or that did nothing beside a check that was green before, has no success; real work has, and so has an agent that says that there is nothing to do. Shown is how the run stood at the end.`,
  budgets: `The model is asked for ever, for the same call or for a different one each time. The run is braked by its budget, at most 22 requests after it is spent (5 % or one request of grace, the request that ends it, and 20 for the time that the end takes; for time two minutes), or \`holdfast run\` refuses to start, where the driver does not report what the budget counts.`,
  suspension: `The agent would work for ever. People are asked; then no process of the session is left, the model is not asked any more, and the command that \`holdfast status\` prints continues the same conversation.`,
};

const escaped = (text: string): string =>
  text.replaceAll("|", String.raw`\|`).replaceAll(/[<>*_`]/g, String.raw`\$&`);

/** The document about the brakes with real agents, from what was played. */
export function brakeDocument(cells: readonly KeptCell[]): string {
  return `# Brakes with real agents

Written by \`npm run test:brakes\`, which plays three tables with real agents, a model server that follows a script, and the command line, with the default settings of the sandbox and of the environment. Requests are counted at the model server, processes in \`/proc\`. The cells are the tests of \`npm run test:agents -- real/success real/budgets real/suspension\`.

${counts(cells)}

${TABLES.map((table) => section(table, cells)).join("\n")}
${notPossible()}`;
}

function counts(cells: readonly KeptCell[]): string {
  const passed = cells.filter((cell) => cell.passed);
  const inSandbox = passed.filter(({ sandbox }) => sandbox === SANDBOXED);
  const refused = passed.filter(({ sandbox }) => sandbox === "");
  const again = cells.filter(({ passed: isPassed, failures }) => isPassed && failures > 0);
  const commits = new Map<string, number>();
  for (const { commit } of cells) commits.set(commit, (commits.get(commit) ?? 0) + 1);
  const on = [...commits].map(([commit, count]) => `${String(count)} on \`${commit}\``).join(", ");
  const repeated = again.map(
    ({ table, agent, name, failures }) => `${agent}, ${name} (${table}): ${String(failures)}`,
  );
  return `${String(cells.length)} cells played (${on}), ${String(passed.length)} passed: ${String(inSandbox.length)} with the agent in its sandbox, ${String(refused.length)} without any session, because the start was refused, ${String(passed.length - inSandbox.length - refused.length)} without a sandbox. Passed when they were played again, after so many failures: ${repeated.length === 0 ? "none" : repeated.join("; ")}.`;
}

function section(table: TableName, cells: readonly KeptCell[]): string {
  const own = cells.filter((cell) => cell.table === table);
  const rows = own.map(({ agent, name, did, passed, sandbox, seconds }) => {
    const result = passed ? escaped(did) : `**did not pass**: ${escaped(did)}`;
    const columns = [agent, name, result, escaped(sandbox), String(seconds)];
    return `| ${columns.join(" | ")} |`;
  });
  const passed = own.filter((cell) => cell.passed).length;
  return `## ${table[0]?.toUpperCase() ?? ""}${table.slice(1)}: ${String(passed)} of ${String(own.length)}

${PROMISES[table]}

| agent | cell | what was seen | sandbox | s |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Cells that cannot be played are named with their reason. */
function notPossible(): string {
  const cannot = BRAKE_CELLS.filter((cell) => cell.notPossible !== false);
  const line = ({ table, agent, name, notPossible: why }: BrakeCell): string =>
    `- ${agent}, ${name} (${table}): ${String(why)}`;
  return `## Cells that cannot be\n\n${cannot.map(line).join("\n")}\n`;
}
