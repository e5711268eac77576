/** Everything that some reader takes for the end of a line. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** What no eye sees and some readers obey: controls, marks of direction, tags and joiners. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/**
 * Words of an agent as a record for somebody to review: every line of them stands behind a bar, so that none can be
 * read as a line of ours, and the record ends where the bars end.
 */
export const quotedWords = (text: string): string =>
  text
    .split(LINE_ENDS)
    .map((line) => `| ${line.replace(UNSEEN, " ")}`)
    .join("\n");
