/**
 * The copier: appends what the agent writes to its stdout and stderr to the session's spools.
 *
 * The agent writes into FIFOs, so that reopening /dev/stdout, which a shell does with truncation, harms nothing.
 * The keeper and everything it starts hold both ends of them: a copier that dies takes nothing along, and nobody is
 * ended by a broken pipe. What was not yet copied waits in the FIFO (256 KB; then the agent's writes wait) for the next
 * copier, which may be started by anybody who finds the folder.
 *
 * 1. Bytes move from FIFO to spool inside the kernel (splice), under a lock of the spool, always to its end. So a
 *    copier may be killed at any instant and several may work at once: a byte is in the FIFO or in the spool, in order.
 *    A disk that refuses them leaves them in the FIFO.
 * 2. While the FIFO `copying` has a writer, which is the keeper alone, the agent runs. When it has none, the copier
 *    moves what is in the FIFOs at that moment and its parent process ends, with 0: that much is in the spools. It goes on
 *    as a child of nobody while a process that the agent left behind holds its output open.
 * 3. Its reading end of `copying` shows to others that a copier lives.
 * 4. A session whose folder was deleted has nobody any more who could find it. The copier notices that its spool has no
 *    name left and ends the agent: politely, and after 10 s firmly, as a process group.
 * 5. Without Perl the copier is `cat`, and bytes in its hands are lost when it is killed.
 */
const SPLICE_CALLS: Partial<Record<string, number>> = {
  x64: 275,
  ia32: 313,
  arm: 340,
  ppc64: 283,
  s390x: 306,
  arm64: 76,
  riscv64: 76,
  loong64: 76,
};

/** The number of the system call, 0 where bytes are read and written instead. */
const SPLICE = process.platform === "linux" ? (SPLICE_CALLS[process.arch] ?? 0) : 0;

/** It is known by its last argument: writing `$0` would wipe the session's mark out of its environment. Single
 *  quotes would end the shell's word. Numbers are Linux's: 1031 F_SETPIPE_SZ, 4 EINTR, 11 EAGAIN, 22 EINVAL, 38 ENOSYS.
 *  Room for 256 KB, since programs that leave without waiting lose what their pipe has no room for. */
const COPIER_IN_PERL = `
my $splice = ${String(SPLICE)};
my @ways = ([undef, undef], [undef, undef]);
open($ways[0][0], "<&=", 7) && open($ways[0][1], "+<&=", 5) || exit 1;
open($ways[1][0], "<&=", 3) && open($ways[1][1], "+<&=", 6) || exit 1;
fcntl($ways[0][0], 1031, 1 << 18);
sub by_hand {
  my ($fifo, $spool) = @_;
  my $count = sysread($fifo, my $bytes, 65536);
  sysseek($spool, 0, 2);
  while ($count && length $bytes) {
    my $written = syswrite($spool, $bytes);
    if ($written) { substr($bytes, 0, $written) = "" } else { select(undef, undef, undef, 0.2) }
  }
  return defined $count ? $count : -1;
}
sub append {
  my ($fifo, $spool) = @_;
  while (1) {
    flock($spool, 2);
    my $end = pack("q", -s $spool || 0);
    my $count = $splice
      ? syscall($splice, fileno($fifo), 0, fileno($spool), $end, 1 << 20, 2)
      : by_hand($fifo, $spool);
    my $error = $! + 0;
    flock($spool, 8);
    return $count if $count >= 0 || $error == 11;
    if ($error == 22 || $error == 38) { $splice = 0 }
    elsif ($error != 4) { select(undef, undef, undef, 0.2) }
  }
}
my $agent_runs = 1;
my $spool = $ways[0][1];
my $look_at = time + 3;
my $lost_at = 0;
sub look_for_folder {
  $look_at = time + 3;
  return if (stat($spool))[3];
  $lost_at ||= time;
  kill(time - $lost_at < 10 ? "-TERM" : "-KILL", getpgrp(0));
}
while (@ways) {
  my $ready = "";
  vec($ready, fileno($_->[0]), 1) = 1 for @ways;
  vec($ready, 4, 1) = 1 if $agent_runs;
  my $found = select($ready, undef, undef, $agent_runs ? 3 : undef);
  look_for_folder() if $agent_runs && time >= $look_at;
  next if $found <= 0;
  my $ends = $agent_runs && vec($ready, 4, 1);
  @ways = grep {
    my $count = !$ends && vec($ready, fileno($_->[0]), 1) ? append(@$_) : -1;
    for (my $left = 1 << 20; $ends && $left > 0; $left -= $count) { last if ($count = append(@$_)) <= 0 }
    $count != 0
  } @ways;
  next unless $ends;
  $agent_runs = 0;
  my $goes_on = @ways ? fork : undef;
  exit 0 if !defined $goes_on || $goes_on;
}
`;

const COPIER_IN_SHELL = `
  cat <&7 >>"$folder/out.spool" & cat <&3 >>"$folder/err.spool" & cats=$!
  cat <&4 >/dev/null
  copied= looks=0
  while kill -0 "$cats" 2>/dev/null && [ "$looks" -lt 10 ]; do
    before=$copied copied=$(wc -c "$folder/out.spool" "$folder/err.spool")
    looks=$((looks + 1))
    [ "$copied" = "$before" ] || looks=0
    sleep 0.1
  done
  exit 0
`;

/** Opening both ends first keeps the opening of one from waiting; a shell has descriptors up to 9. */
const COPIER = `
copier() {
  trap '' HUP INT QUIT TERM PIPE
  exec 9>&- 5<>"$folder/copying" 6<>"$folder/out.pipe" 7<>"$folder/err.pipe" >/dev/null 2>&1
  exec 4<"$folder/copying" 0<"$folder/out.pipe" 3<"$folder/err.pipe"
  exec 7<&0 0</dev/null 5<>"$folder/out.spool" 6<>"$folder/err.spool"
  perl=/usr/bin/perl
  [ -x "$perl" ] || perl=$(command -v perl) || { ${COPIER_IN_SHELL} }
  PERL5OPT='' PERL5LIB='' LC_ALL=C exec "$perl" -e '${COPIER_IN_PERL}' holdfast-copier
}
`;

/** For the keeper, once the session is its own: from here on the agent may begin. Without FIFOs the spools are its output. */
export const KEEPER_COPY = `${COPIER}
out="$folder/out.spool" err="$folder/err.spool" copier=
if mkfifo -m 600 "$folder/copying" "$folder/out.pipe" "$folder/err.pipe" 2>/dev/null; then
  out="$folder/out.pipe" err="$folder/err.pipe"
  exec 5<>"$folder/copying" 9>"$folder/copying" 5>&-
  exec 6<>"$out" 7<>"$err"
  copier & copier=$!
  printf '%s\\n' "$copier" >"$folder/copier"
fi
`;

/** How the agent is run: with the pipes, and without what tells the copier that it runs. */
export const AGENT_OUTPUT = `>>"$out" 2>>"$err" 9>&-`;

/** What the agent wrote is in the spools after this. A copier that was killed is followed by another. */
export const KEEPER_COPIED = `
exec 6>&- 7>&- 9>&-
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  [ -n "$copier" ] || break
  while wait "$copier"; copied=$?; do
    case $copied in 129 | 130 | 131 | 143) ;; *) break ;; esac
  done
  [ "$copied" != 0 ] || break
  copier & copier=$!
  printf '%s\\n' "$copier" >"$folder/copier"
done
rm -f "$folder/copying" "$folder/out.pipe" "$folder/err.pipe" "$folder/copier"
`;

/** A copier by itself, for a session that has lost its own. Its argument is the session's folder. */
export const COPIER_SCRIPT = `folder=$1
${COPIER}
copier
`;
