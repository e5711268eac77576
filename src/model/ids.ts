import { z } from "zod";

/** Letters, digits and `._/-`, beginning with a letter or digit: safe as a file name part, a tmux name and a shell word. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/;

export const nameSchema = z
  .string()
  .regex(NAME, "a name begins with a letter or digit and holds at most 120 of A-Z a-z 0-9 . _ / -");

export const isName = (text: string): boolean => NAME.test(text);

/** An attempt's id is derived, not drawn: the same decision taken again names the same attempt. */
export const attemptId = (step: string, number: number): string => `${step}#${String(number)}`;

/** A session outlives its supervisor, so its key must be the same for whoever looks for it. */
export const sessionKey = (run: string, step: string, number: number): string =>
  `${run}.${step.replaceAll("/", "~")}.${String(number)}`;
