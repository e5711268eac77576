# Dies before its first word.
echo "fatal: no such model" >&2
exit 1
