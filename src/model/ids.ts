import { z } from "zod";

/** Letters, digits and `._/-`, beginning with a letter or digit: safe as a file name part, a tmux name and a shell word. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/;

/**
 * State is kept in objects by these ids. A member that every object has, such as `constructor`, would be found there
 * although nobody put it in.
 */
const isMemberOfAll = (text: string): boolean => text in Object.prototype;

/** What a journal or a request names: any text but a member that every object has. */
export const idSchema = z
  .string()
  .refine((text) => !isMemberOfAll(text), "the name of a member that every object has cannot be an id");

export const nameSchema = idSchema.regex(
  NAME,
  "a name begins with a letter or digit and holds at most 120 of A-Z a-z 0-9 . _ / -",
);

export const isName = (text: string): boolean => NAME.test(text) && !isMemberOfAll(text);

/** An attempt's id is derived, not drawn: the same decision taken again names the same attempt. */
export const attemptId = (step: string, number: number): string => `${step}#${String(number)}`;

/** A session outlives its supervisor, so its key must be the same for the one that looks for it. */
export const sessionKey = (run: string, step: string, number: number): string =>
  `${run}.${step.replaceAll("/", "~")}.${String(number)}`;
