import type { InputOf } from "../../../src/api/client/client.ts";
import type { ReadCommand } from "./command-words.ts";

type Asked = InputOf<"askMission">;
type Body = Asked["body"];
type Reader = (command: ReadCommand) => Body | null;

const simple =
  (kind: "pause" | "resume" | "stop" | "reconcile"): Reader =>
  () => ({ kind });

/** How often; nothing where no number is named. */
const countOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

const READERS: Readonly<Record<string, Reader>> = {
  "mission pause": simple("pause"),
  "mission resume": simple("resume"),
  "mission stop": simple("stop"),
  "mission reconcile": simple("reconcile"),
  "mission launch": ({ options: { workstream }, flags }) =>
    workstream === undefined
      ? null
      : { kind: "launch", workstream, ...(flags.has("retry") ? { retry: true } : {}) },
  "mission skip": ({ operands: [workstream] }) =>
    workstream === undefined ? null : { kind: "skip", workstream },
  "mission pass": ({ operands: [barrier] }) => (barrier === undefined ? null : { kind: "pass", barrier }),
  "mission approve": ({ options: { digest } }) => (digest === undefined ? null : { kind: "approve", digest }),
  "mission autopilot": ({ options, flags }) => ({
    kind: "autopilot",
    ...(flags.has("off") ? { off: true } : {}),
    ...(flags.has("auto-retry") ? { autoRetry: true } : {}),
    ...(flags.has("continue-on-failure") ? { continueOnFailure: true } : {}),
    maxRetries: countOf(options["max-retries"]),
    maxMissionRetries: countOf(options["max-mission-retries"]),
  }),
};

/** Of these the first word names no mission. */
const PARTS: ReadonlySet<string> = new Set(["mission skip", "mission pass"]);

/** What a command asks of a mission; null for others, and for what a person has to have seen. `-` is the only open one. */
export function missionAsked(command: ReadCommand): Asked | null {
  const { name, operands, options } = command;
  const body = READERS[name]?.(command) ?? null;
  const mission = PARTS.has(name) ? options["mission"] : operands[0];
  return body === null ? null : { params: { mission: mission ?? "-" }, body };
}
