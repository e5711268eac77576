import type { AgentReport } from "../../main.ts";
import { VENDOR_KINDS } from "../../model/agent/kinds/registry.ts";
import { isHostSection } from "../../model/settings/host-config.ts";

/** The parts of a JSON Schema that a commented file is made of. */
interface Setting {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Setting>>;
  readonly enum?: readonly unknown[];
}

type Found = Pick<AgentReport, "kind" | "state" | "version" | "remedy">;

/** Kinds that are somebody's program, and so can be there or not. */
const PROGRAMS: readonly string[] = VENDOR_KINDS;

/**
 * A first configuration: the agents that were found, ready to use, and every setting with its default and its meaning,
 * behind comment signs. Made from the schema, so that it never says what is no longer so.
 */
export function starterConfig(reports: readonly Found[], schema: unknown): string {
  const { properties = {} } = schema as Setting;
  return [
    "# Holdfast's configuration. Every key: holdfast config schema. Is it right? holdfast validate holdfast.yaml",
    "",
    ...agentLines(reports),
    "",
    "# Settings of the host (leases, limits, watchdogs, who is notified, what a day may cost) are not a repository's.",
    "# They stand in a file of your own: see `holdfast config show`.",
    "",
    "# Everything below has its default. Remove the # before a section and before the lines you change.",
    "",
    ...Object.entries(properties).flatMap(([name, setting]) =>
      name === "agents" || isHostSection(name) ? [] : sectionLines(name, withoutDay(name, setting)),
    ),
  ].join("\n");
}

function withoutDay(name: string, setting: Setting): Setting {
  if (name !== "budget") return setting;
  const own = Object.entries(setting.properties ?? {}).filter(([key]) => key !== "day");
  return { ...setting, properties: Object.fromEntries(own) };
}

/** The agents that are somebody's program and can work here. */
export const foundAgents = <Report extends Found>(reports: readonly Report[]): Report[] =>
  reports.filter(({ kind, state }) => PROGRAMS.includes(kind) && state === "ready");

function agentLines(reports: readonly Found[]): string[] {
  const ready = foundAgents(reports);
  const missing = reports.filter(({ kind, state }) => PROGRAMS.includes(kind) && state !== "ready");
  return [
    "# Agents by name, for `run --agent NAME` and for the steps of a flow.",
    ready.length === 0 ? "agents: {}" : "agents:",
    ...ready.flatMap(({ kind, version }) => [
      `  ${kind}: # ${version ?? "version unknown"}`,
      `    use: ${kind}`,
      "    # model: NAME",
      "    # permissions: ask # or allow, deny: what becomes of its requests for permission",
      "    # sandbox: auto # or required, none: whether it works in a sandbox; see `holdfast doctor`",
    ]),
    ...missing.map(
      ({ kind, remedy }) => `# ${kind} was not found here${remedy === null ? "" : `: ${remedy}`}`,
    ),
    "# A program in a terminal:",
    "#   shell: { use: tmux, command: [my-agent] }",
    "# A function of your own:",
    "#   mine: { use: function, module: ./agent.ts }",
    ...roleLines(ready[0]?.kind ?? "claude"),
  ].map(inOneLine);
}

/** Roles stand in flows; which agent has one is said by giving an agent the role's name. */
const roleLines = (kind: string): string[] => [
  "# Roles of a flow (`roles` in its file) that name no agent are had by the agent of the role's name, or else by the",
  "# one of --agent. So each role of a flow, of the ready-made ones too, gets an agent of its own here:",
  `#   planner: { use: ${kind} }`,
  `#   builder: { use: ${kind} }`,
  `#   tester: { use: ${kind} }`,
  `#   reviewer: { use: ${kind}, model: NAME } # another model sees other mistakes`,
  "# What a role may do is said in the flow: writes (default), proposes, or reviews:",
  "#   roles: { reviewer: { authority: reviews } }",
];

/** What an agent's program prints of itself must not end a comment. */
const inOneLine = (line: string): string => line.replaceAll(/\p{Cc}+/gu, " ");

function sectionLines(name: string, setting: Setting): string[] {
  const { properties, description } = setting;
  if (properties === undefined) return [...settingLines(name, setting, "# "), ""];
  const rows = Object.entries(properties).flatMap(([key, setting]) => settingLines(key, setting, "#   "));
  const title = description === undefined ? [] : [`# ${description}`];
  // A section of which nothing has a default is empty until one of its keys is given a value.
  const isEmpty = Object.values(properties).every((one) => !("default" in one) && !("properties" in one));
  return [...title, `# ${name}:${isEmpty ? " {}" : ""}`, ...rows, ""];
}

function settingLines(key: string, setting: Setting, indent: string): string[] {
  const { description, properties } = setting;
  const means = description === undefined ? [] : [`${indent}# ${description}`];
  if (properties !== undefined)
    return [
      // A section of which nothing has a default would be one without a value.
      `${indent}${Object.values(properties).some(hasDefault) ? "" : "# "}${key}:`,
      ...Object.entries(properties).flatMap(([inner, one]) => settingLines(inner, one, `${indent}  `)),
    ];
  // A key without a default does nothing until it is given a value: it stays a comment within the comment.
  if (setting.default === undefined) return [...means, `${indent}# ${key}: …${choices(setting)}`];
  return [...means, `${indent}${key}: ${JSON.stringify(setting.default)}${choices(setting)}`];
}

const hasDefault = ({ default: value, properties }: Setting): boolean =>
  value !== undefined || Object.values(properties ?? {}).some(hasDefault);

const choices = (setting: Setting): string =>
  setting.enum === undefined ? "" : ` # one of ${setting.enum.map(String).join(", ")}`;
