/**
 * The version of the fold: a digest over its code, written by `npm run fold-version` and checked by `npm run check`.
 * A snapshot that was made by another fold is not read.
 */
export const FOLD_VERSION = "e278d7610ee5f3e0067a";
