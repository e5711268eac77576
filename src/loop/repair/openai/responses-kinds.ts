import { asText, INTERRUPTED, isRecord, type JsonRecord, type KnownResult } from "../repair.ts";

/** A kind of call that the caller of the Responses interface answers, and how its output says what is known. */
export interface ResponsesKind {
  readonly outputType: string;
  /** The output's fields; `undefined` where there is no honest way to fill them. */
  readonly output: (known: KnownResult | undefined) => JsonRecord | undefined;
  readonly isInterrupted: (item: JsonRecord) => boolean;
}

const textOutput = (known: KnownResult | undefined): JsonRecord => ({
  output: known === undefined ? INTERRUPTED : asText(known.result),
});

const isInterruptedText = (item: JsonRecord): boolean => item["output"] === INTERRUPTED;

const shellOutput = (known: KnownResult | undefined): JsonRecord => {
  if (known !== undefined && Array.isArray(known.result)) return { output: known.result };
  const failed = known === undefined || known.failed === true;
  const text = known === undefined ? INTERRUPTED : asText(known.result);
  const outcome = { type: "exit", exit_code: failed ? 1 : 0 };
  return { output: [{ stdout: failed ? "" : text, stderr: failed ? text : "", outcome }] };
};

const localShellOutput = (known: KnownResult | undefined): JsonRecord => ({
  ...textOutput(known),
  status: known === undefined || known.failed === true ? "incomplete" : "completed",
});

const patchOutput = (known: KnownResult | undefined): JsonRecord => ({
  status: known === undefined || known.failed === true ? "failed" : "completed",
  ...textOutput(known),
});

const isInterruptedShell = ({ output }: JsonRecord): boolean =>
  Array.isArray(output) && output.some((one) => isRecord(one) && one["stderr"] === INTERRUPTED);

/** By the call's type. A screenshot cannot be made up, so a computer call is answered from the journal or not at all. */
export const RESPONSES_KINDS: ReadonlyMap<string, ResponsesKind> = new Map([
  [
    "function_call",
    { outputType: "function_call_output", output: textOutput, isInterrupted: isInterruptedText },
  ],
  [
    "custom_tool_call",
    { outputType: "custom_tool_call_output", output: textOutput, isInterrupted: isInterruptedText },
  ],
  ["shell_call", { outputType: "shell_call_output", output: shellOutput, isInterrupted: isInterruptedShell }],
  [
    "local_shell_call",
    {
      outputType: "local_shell_call_output",
      output: localShellOutput,
      isInterrupted: isInterruptedText,
    },
  ],
  [
    "apply_patch_call",
    { outputType: "apply_patch_call_output", output: patchOutput, isInterrupted: isInterruptedText },
  ],
  [
    "computer_call",
    {
      outputType: "computer_call_output",
      output: (known) => (isRecord(known?.result) ? { output: known.result } : undefined),
      isInterrupted: () => false,
    },
  ],
]);

/** The id that a call and its output share; the output of a local shell may have it as its own id alone. */
export const callIdOf = (item: JsonRecord): unknown =>
  item["call_id"] ?? (item["type"] === "local_shell_call_output" ? item["id"] : undefined);

const HOSTED: ReadonlySet<unknown> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
]);
const UNFINISHED: ReadonlySet<unknown> = new Set([
  "in_progress",
  "searching",
  "interpreting",
  "generating",
  "calling",
]);

/** A call that the vendor itself carries out, whose stream ended before its outcome: nobody can answer it any more. */
export const isUnfinishedHosted = ({ type, status }: JsonRecord): boolean =>
  HOSTED.has(type) && UNFINISHED.has(status);
