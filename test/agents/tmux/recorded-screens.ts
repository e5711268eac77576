import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export interface RecordedScreen {
  readonly state: "idle" | "busy" | "permission";
  readonly title: string;
  readonly lines: readonly string[];
}

/** Screens of a real agent, with the version that drew them; empty where none were recorded. */
export function recordedScreens(agent: string): readonly RecordedScreen[] {
  const file = path.resolve(import.meta.dirname, `../fixtures/${agent}/screens.json`);
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, "utf8")) as { screens: RecordedScreen[] }).screens;
}
