import { SIFT_IN_PERL } from "../keeper/spool/sift-script.ts";

/**
 * The program between a terminal and its spool: it writes on what it reads, and stars over secrets, so that a screen that
 * is drawn from it keeps its columns. It is a file, since every user of the machine can read what a command is given as
 * words, and removes itself at once.
 *
 * The last word waits for at most 0.1 s for its end, with the colour before it; so does what begins like a known value. What it holds then is lost
 * if it is killed, as it would be with `cat`.
 */
export const siftTerminal = (table: string): string => String.raw`unlink $0;
$ENV{HOLDFAST_SIFT} = "${table}";
${SIFT_IN_PERL}
my $held = "";
sub give {
  my ($end) = @_;
  my $text = substr($held, 0, $end);
  substr($held, 0, $end) = "";
  for (reverse secrets_in($text)) {
    my ($from, $to, $instead) = @$_;
    substr($text, $from, $to - $from) = substr($instead . "*" x ($to - $from), 0, $to - $from);
  }
  while (length $text) {
    my $written = syswrite(STDOUT, $text);
    if ($written) { substr($text, 0, $written) = "" } else { select(undef, undef, undef, 0.2) }
  }
}
sub word_end {
  my $size = length $held;
  my $end = $held =~ /(?:\x1b?[\x21-\x7e]{1,2048}|\x1b)\z/ ? $-[0] : $size;
  $end = $size if substr($held, $end) =~ /^\x1b\[[0-9;?]*[A-Za-z]\z/;
  for my $form (keys %named) {
    my $most = length($form) - 1 < $size ? length($form) - 1 : $size;
    for (my $n = $most; $n > $size - $end; $n--) {
      next if substr($held, -$n) ne substr($form, 0, $n);
      $end = $size - $n;
      last;
    }
  }
  for (secrets_in($held)) { $end = $_->[0] if $_->[0] < $end && $_->[1] > $end }
  return $end;
}
while (1) {
  my $ready = "";
  vec($ready, 0, 1) = 1;
  my $found = select($ready, undef, undef, $held eq "" ? undef : 0.1);
  if ($found == 0) { give(length $held) }
  next if $found <= 0;
  my $count = sysread(STDIN, $held, 65536, length $held);
  next if !defined $count && $! == 4;
  if (!$count) { give(length $held); exit 0 }
  give(length $held > 65536 ? length $held : word_end());
}
`;
