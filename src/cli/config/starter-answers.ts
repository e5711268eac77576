/** What a person wants of a first configuration; null leaves the setting as it is by default. */
export interface StarterAnswers {
  /** A command that must pass at the end of each run. */
  readonly check: string | null;
  readonly usd: number | null;
  readonly attempts: number | null;
  readonly asksAtEnd: boolean;
}

export const NO_ANSWERS: StarterAnswers = { check: null, usd: null, attempts: null, asksAtEnd: false };

interface StarterQuestion {
  readonly text: string;
  /** What Enter alone means, as it is shown. */
  readonly byDefault: (check: string | null) => string;
  /** The answers with this one, or what was expected. */
  readonly take: (answers: StarterAnswers, answer: string) => StarterAnswers | string;
}

const NONE = "none";
const isNone = (answer: string): boolean => /^(?:none|no|-)$/i.test(answer);
const ATTEMPTS_DEFAULT = "3";

/** At most five, each with a default that is right for most. */
export const STARTER_QUESTIONS: readonly StarterQuestion[] = [
  {
    text: "A command that must pass at the end of each run?",
    byDefault: (check) => check ?? NONE,
    take: (answers, answer) => ({ ...answers, check: isNone(answer) ? null : answer }),
  },
  {
    text: "The most that one run may spend, in dollars?",
    byDefault: () => NONE,
    take(answers, answer) {
      if (isNone(answer)) return { ...answers, usd: null };
      const usd = Number(answer.replace(/^\$/, ""));
      return usd > 0 && Number.isFinite(usd)
        ? { ...answers, usd }
        : "expected dollars such as 5 or 2.50, or none";
    },
  },
  {
    text: "Attempts of a step before you are asked?",
    byDefault: () => ATTEMPTS_DEFAULT,
    take(answers, answer) {
      if (answer === ATTEMPTS_DEFAULT) return { ...answers, attempts: null };
      return /^[1-9]\d?$/.test(answer)
        ? { ...answers, attempts: Number(answer) }
        : "expected a whole number from 1 to 99";
    },
  },
  {
    text: "Ask you before a run is completed?",
    byDefault: () => "no",
    take: (answers, answer) =>
      /^(?:y|yes|n|no)$/i.test(answer) ? { ...answers, asksAtEnd: /^y/i.test(answer) } : "expected yes or no",
  },
];
