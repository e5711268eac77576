import type { AgentSpec } from "../../model/flow/flow.ts";

/** What stands for something in the words of a command. */
export interface Places {
  readonly task: string;
  readonly model: string;
  /** The conversation to continue; undefined for a new one. */
  readonly session: string | undefined;
}

export interface PlacedTask {
  readonly command: readonly [string, ...string[]];
  /** The task is in none of the words, so the program reads it from its stdin. */
  readonly onStdin: boolean;
}

const PLACE = /\{(task|model|session)\}/g;

/** The words of a command with the task where `{task}` stands; undefined where there is no program. */
export function placeTask(
  { command, args = [], resume = [] }: AgentSpec,
  places: Places,
): PlacedTask | undefined {
  const [program, ...words] = command ?? [];
  if (program === undefined) return undefined;
  const more = places.session === undefined ? [] : resume;
  const own = [...words, ...args];
  const ordered = own.includes("{resume}")
    ? own.flatMap((word) => (word === "{resume}" ? more : [word]))
    : [...own, ...more];
  return {
    // In one pass: what the task itself holds stands for nothing.
    command: [
      program,
      ...ordered.map((word) => word.replaceAll(PLACE, (_, name) => filled(places, String(name)))),
    ],
    onStdin: !ordered.some((word) => word.includes("{task}")),
  };
}

function filled({ task, model, session }: Places, name: string): string {
  if (name === "task") return task;
  return name === "model" ? model : (session ?? "");
}
