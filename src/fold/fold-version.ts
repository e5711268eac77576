/**
 * The version of the fold: a digest over its code, written by `npm run fold-version` and checked by `npm run check`.
 * A snapshot that was made by another fold is not read.
 */
export const FOLD_VERSION = "26a65ba8e0a1e9556ce2";
