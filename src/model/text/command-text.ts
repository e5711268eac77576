/** A word that a POSIX shell reads back unchanged. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A command to paste: quoted, and with the store named where it is not the default one. */
export const commandText = (words: readonly string[], store: string | null): string =>
  ["holdfast", ...words, ...(store === null ? [] : ["--store", store])].map(shellWord).join(" ");
