const SHELLS = /^(?:ba|z|k|da|a|fi|c|tc|busybox )?sh$|^(?:python|node|irb|ghci|psql|sqlite)[\d.]*$/;

/**
 * A shell or an interpreter carries out its input, and its output is no word about it. Recognised by its name, and by
 * nothing but options: one that is given a script is a program like any other.
 */
export const isShell = ([program = "", ...words]: readonly string[]): boolean =>
  SHELLS.test(program.slice(program.lastIndexOf("/") + 1)) &&
  words.every((word) => word.startsWith("-") && !/^-\w{0,8}[ce]$/.test(word));
