import { Fault, FAULT_CODES, type FaultCode } from "../../model/fault.ts";
import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext, Performed, PerformedFault } from "./handler-context.ts";

/** What a command line asks for: the exit code, and what stands on stdout and stderr. */
export const COMMAND_TYPE = "application/vnd.holdfast.command+json";

interface CommandMore {
  readonly cwd?: string | undefined;
  readonly input?: string;
  readonly proof?: Performing["proof"];
  /** The one document of the answer, made of what the command printed. */
  readonly document?: (performed: Performed) => unknown;
  readonly asks?: string;
}

type Performing = Parameters<HandlerContext["operations"]["perform"]>[0];

/** Answers with what a command says: the same code, the same projection, so that the two can never disagree. */
export async function performCommand(
  context: HandlerContext,
  words: readonly string[],
  { cwd, input, proof, document = onlyDocument, asks }: CommandMore = {},
): Promise<HandlerAnswer> {
  const { operations, asker, command, once } = context;
  const columns = command === null ? context.columns : command.json ? null : command.columns;
  const named = command?.named ?? null;
  const performed = await operations.perform({
    words,
    asker,
    ...(columns === null ? {} : { columns }),
    once,
    ...(asks === undefined ? {} : { asks }),
    ...(command === null ? {} : { isWhole: true }),
    ...(named === null ? {} : { named }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
    ...(proof === undefined ? {} : { proof }),
  });
  const { exitCode, text, notes, fault, cursor } = performed;
  if (fault !== null) throw asFault(fault);
  if (command !== null)
    return {
      kind: "document",
      document: { exitCode, stdout: text, stderr: notes, cursor },
      type: COMMAND_TYPE,
      exitCode,
    };
  if (columns !== null) return { kind: "text", text, notes, exitCode };
  return { kind: "document", document: document(performed), exitCode };
}

const onlyDocument = ({ documents }: Performed): unknown => documents.at(-1) ?? {};

function asFault({ code, message, details }: PerformedFault): Fault {
  const known = Object.hasOwn(FAULT_CODES, code) ? (code as FaultCode) : "broken_promise";
  return new Fault(known, message, { details });
}

/** Words for an option: none where it is not wanted. */
export const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${String(value)}`];

export const flag = (name: string, wanted: boolean | undefined): string[] =>
  wanted === true ? [`--${name}`] : [];

/** In the place of a run's id: the one that the command means where none is named. */
export const AT_HAND = "-";

/** The word for a run; none where the one at hand is meant. */
export const runWord = (run: string): string | undefined => (run === AT_HAND ? undefined : run);

/** What comes from outside stands behind the end of the options, no matter what it begins with. */
export const operands = (...words: readonly (string | undefined)[]): string[] => [
  "--",
  ...words.filter((word) => word !== undefined),
];
